// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { testTree } from "./test_tree";
import { unfolded } from "./tree_view";

const { tree, names } = testTree("main 1 [ a 1 [ b 1 ] c 9 [ d 1 e 2 ] ]");
const shown = (open: number[]) =>
  unfolded(tree, new Set(open)).map((row) => `${row.level} ${names[tree.function[row.node]] ?? "all"} ${row.position}/${row.siblings}`);

test("only what is unfolded is made, the heaviest first", () => {
  expect(shown([])).toEqual(["1 all 1/1"]);
  expect(shown([0, 1])).toEqual(["1 all 1/1", "2 main 1/1", "3 c 1/2", "3 a 2/2"]);
});
