import { expect, test } from "vitest";
import { recordingOf } from "../recording/test_builder";
import { DiffStore } from "./diff_store";

const onCpu = 1;
const running = () => recordingOf([["main read", { state: onCpu }], ["main wait", { state: 0 }]]);
const waiting = () => recordingOf([["main wait", { state: 0 }]]);
const modeOf = (store: DiffStore) => store.selection.value.mode;

test("it opens in the mode that its maker was asked for", () => {
  for (const mode of ["wall", "cpu", "gil", "ready"]) expect(modeOf(new DiffStore(running(), running(), { mode }))).toBe(mode);
});

test("without such a mode, CPU time if both ran", () => {
  expect(modeOf(new DiffStore(running(), running()))).toBe("cpu");
  expect(modeOf(new DiffStore(running(), waiting()))).toBe("wall");
  expect(modeOf(new DiffStore(waiting(), running()))).toBe("wall");
});
