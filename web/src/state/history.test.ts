import { expect, test } from "vitest";
import { begin, push, redo, replace, undo } from "./history";

test("undo and redo walk through what was", () => {
  const third = push(push(begin(1), 2), 3);
  expect(undo(third).present).toBe(2);
  expect(undo(undo(third)).present).toBe(1);
  expect(undo(undo(undo(third))).present).toBe(1);
  expect(redo(undo(third)).present).toBe(3);
  expect(redo(third)).toBe(third);
});

test("a change after an undo forgets what was undone", () => {
  const changed = push(undo(push(begin(1), 2)), 9);
  expect(redo(changed).present).toBe(9);
  expect(undo(changed).present).toBe(1);
});

test("what is replaced is no step", () => {
  expect(undo(replace(push(begin("a"), "b"), "c")).present).toBe("a");
});

test("only so much is remembered", () => {
  let history = begin(0);
  for (let i = 1; i <= 1000; i++) history = push(history, i);
  expect(history.past.length).toBe(200);
});
