import { expect, test } from "vitest";
import { recordingOf } from "../recording/test_builder";
import { ProfileStore, startOf } from "./profile_store";
import { formatHash } from "./view_state";

const onCpu = 1;

function store(): ProfileStore {
  return new ProfileStore(
    recordingOf([
      ["main read loads", { state: onCpu }],
      ["main price", { state: onCpu }],
      ["main write dumps", { state: 0 }],
    ]),
  );
}

const namesOf = (one: ProfileStore, nodes: Iterable<number>) => [...nodes].map((node) => one.nameOfFunction(one.functionOf(node)!));

test("a program that runs is shown by its CPU time, one that waits as it waits", () => {
  expect(startOf(store().recording.value).selection.mode).toBe("cpu");
  const waiting = recordingOf([["main wait", { state: 0 }]]);
  expect(startOf(waiting).selection.mode).toBe("wall");
});

test("the tree follows the selection", () => {
  const one = store();
  expect(one.tree.value.count).toBe(5);
  one.select({ mode: "wall" });
  expect(one.tree.value.count).toBe(7);
});

test("zooming and back again", () => {
  const one = store();
  one.zoomTo(2);
  expect(one.zoomed.value).toBe(2);
  one.zoomOut();
  expect(one.zoomed.value).toBe(1);
  one.undo();
  expect(one.zoomed.value).toBe(2);
  one.undo();
  expect(one.zoomed.value).toBe(0);
  one.redo();
  expect(one.zoomed.value).toBe(2);
});

test("a zoom stays when the tree gets other nodes", () => {
  const one = store();
  const read = [...one.tree.value.function.keys()].find((node) => one.functionOf(node) !== null && namesOf(one, [node])[0] === "read")!;
  one.zoomTo(read);
  one.select({ mode: "wall" });
  expect(namesOf(one, [one.zoomed.value])).toEqual(["read"]);
});

test("matches one after the other, around the end", () => {
  const one = store();
  one.change({ search: "loads|price" });
  const seen = [1, 2, 3].map(() => {
    one.goToMatch(false);
    return namesOf(one, [one.selected.value])[0];
  });
  expect(new Set(seen.slice(0, 2))).toEqual(new Set(["loads", "price"]));
  expect(seen[2]).toBe(seen[0]);
  expect(one.announcement.value).toContain("of 2");
});

test("a bad expression is an error to show", () => {
  const one = store();
  one.change({ search: "(" });
  expect(one.found.value.error).not.toBe(null);
  expect(one.found.value.functions).toBe(null);
});

test("a URL that asks for functions or nodes that are not there does no harm", () => {
  const one = store();
  one.restore({ ...one.state.value, zoom: [{ function: 99999, line: 0 }], selected: [{ label: "no" }], function: 99999, file: 77 });
  expect(one.zoomed.value).toBe(0);
  expect(one.selected.value).toBe(-1);
  expect(one.nameOfFunction(99999)).toBe("(unknown)");
  expect(formatHash(one.state.value, one.start)).toContain("99999");
});
