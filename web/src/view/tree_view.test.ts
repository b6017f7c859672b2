// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { testTree } from "./test_tree";
import { carriedOver, unfolded } from "./tree_view";

const { tree, names } = testTree("main 1 [ a 1 [ b 1 ] c 9 [ d 1 e 2 ] ]");
const shown = (open: number[]) =>
  unfolded(tree, new Set(open)).map((row) => `${row.level} ${names[tree.function[row.node]] ?? "all"} ${row.position}/${row.siblings}`);

test("only what is unfolded is made, the heaviest first", () => {
  expect(shown([])).toEqual(["1 all 1/1"]);
  expect(shown([0, 1])).toEqual(["1 all 1/1", "2 main 1/1", "3 c 1/2", "3 a 2/2"]);
});

test("what is unfolded stays so when the tree grows", () => {
  const grown = testTree("begin 1 main 1 [ a 1 [ b 1 ] c 9 [ d 1 e 2 ] ]").tree;
  // In both trees functions have numbers of their own: begin is new, all others count on by one.
  const shifted = { ...tree, function: tree.function.map((number) => (number === 0xffffffff ? number : number + 1)) };
  expect(carriedOver(shifted, grown, new Set([0, 1, 4]))).toEqual([0, 2, 5]);
});
