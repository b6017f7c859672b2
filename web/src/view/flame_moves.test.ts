import { expect, test } from "vitest";
import { moved } from "./flame_moves";
import { testTree } from "./test_tree";

const { tree, names } = testTree("main 1 [ a 1 [ b 1 ] c 9 [ d 1 e 2 ] ]");
const node = (name: string) => tree.function.indexOf(names.indexOf(name));
const nameAfter = (from: string, move: Parameters<typeof moved>[3], root = 0) =>
  names[tree.function[moved(tree, root, node(from), move)]] ?? "all";

test("up and down", () => {
  expect(nameAfter("b", "parent")).toBe("a");
  expect(nameAfter("main", "parent")).toBe("all");
  expect(nameAfter("main", "child")).toBe("c");
  expect(nameAfter("b", "child")).toBe("b");
});

test("sideways, across callers", () => {
  expect(nameAfter("b", "next")).toBe("d");
  expect(nameAfter("d", "next")).toBe("e");
  expect(nameAfter("e", "next")).toBe("e");
  expect(nameAfter("d", "previous")).toBe("b");
});

test("zoomed in, only what is drawn can be reached", () => {
  const a = node("a");
  expect(nameAfter("b", "next", a)).toBe("b");
  expect(nameAfter("main", "child", a)).toBe("a");
  expect(moved(tree, a, 0, "child")).toBe(node("main"));
  expect(moved(tree, a, -1, "child")).toBe(a);
});
