import { expect, test } from "vitest";
import type { Recording } from "../recording/recording";
import { recordingOf } from "../recording/test_builder";
import { recordingFacts } from "./recording_facts";

const made = recordingOf([["main read", { state: 1, ticks: 3 }]]);
const base: Recording = { ...made, mode: "wall", durationNs: 2e9, rateHz: 100 };
const texts = (recording: Recording) => recordingFacts(recording).map((fact) => fact.text);

test("losses are always told, and loud if there are any", () => {
  const counts = { ...base.counts, missedTicks: 12, more: new Map([["lost_from_file", 3]]) };
  const facts = recordingFacts({ ...base, counts });
  expect(facts.filter((fact) => fact.loud).map((fact) => fact.text)).toEqual(["12 missed", "3 lost"]);
  expect(facts.find((fact) => fact.text === "0 torn")?.loud).toBe(false);
});

test("C stacks that did not fit are told where there are C stacks", () => {
  expect(texts(base)).not.toContain("0 unmerged");
  expect(texts({ ...base, native: true })).toContain("0 unmerged");
});

test("what a converted profile does not know is not made up", () => {
  const converted = texts({ ...base, mode: "unknown", durationNs: 0, rateHz: 0 });
  expect(converted).toContain("mode not known");
  for (const text of ["0 missed", "0 ns", "as fast as possible"]) expect(converted).not.toContain(text);
});
