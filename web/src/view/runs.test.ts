import { expect, test } from "vitest";
import { Runs } from "./runs";

test("neighbours are one run, each row has its own", () => {
  const runs = new Runs();
  for (const [row, column] of [[0, 1], [1, 1], [0, 2], [1, 3], [0, 3], [0, 9]]) runs.add(row, column);
  expect([...runs.all()].sort()).toEqual([[0, 1, 4], [0, 9, 10], [1, 1, 2], [1, 3, 4]]);
});
