import { describe, expect, test } from "vitest";
import { nodeAtPoint, rowTop, rowsBelow, visitBoxes, type Viewport } from "./flame_geometry";
import { testTree } from "./test_tree";

const { tree, names } = testTree("main 10 [ a 20 [ b 20 ] c 50 ] other 0.001 [ deep 0.001 ]");

const port: Viewport = {
  width: 1000,
  height: 100,
  rowHeight: 20,
  scrollTop: 0,
  from: 0,
  to: tree.total[0],
  root: 0,
  rows: rowsBelow(tree, 0),
  upward: false,
  skip: 0,
};

function seen(viewport: Viewport) {
  const boxes: string[] = [];
  const slivers: string[] = [];
  const narrow = visitBoxes(tree, viewport, {
    box: (node, x, width) => boxes.push(`${names[tree.function[node]] ?? "all"} ${Math.round(x)}+${Math.round(width)}`),
    sliver: (depth, column) => slivers.push(`${depth}:${column}`),
  });
  return { boxes, slivers, narrow };
}

describe("what is drawn", () => {
  test("every node has its box, and what is too narrow is marked and counted", () => {
    expect(seen(port)).toEqual({
      boxes: ["all 0+1000", "main 0+1000", "a 0+400", "b 0+200", "c 400+500"],
      slivers: ["1:999"],
      narrow: 2,
    });
  });

  test("zoomed in, its callers stay and are as wide as the view", () => {
    const a = 2;
    const zoomed = { ...port, root: a, from: tree.start[a], to: tree.start[a] + tree.total[a], rows: rowsBelow(tree, a) };
    expect(seen(zoomed).boxes).toEqual(["all 0+1000", "main 0+1000", "a 0+1000", "b 0+500"]);
  });

  test("nothing outside of the view is visited", () => {
    expect(seen({ ...port, from: 50, to: 60 }).boxes).toEqual(["all -5000+10000", "main -5000+10000", "c -1000+5000"]);
    expect(seen({ ...port, scrollTop: 60 }).boxes).toEqual(["b 0+200"]);
  });

  test("an empty tree is no trouble", () => {
    const empty = testTree("");
    expect(visitBoxes(empty.tree, { ...port, from: 0, to: 0 }, { box: () => {}, sliver: () => {} })).toBe(0);
  });
});

describe("what is under the pointer", () => {
  const name = (x: number, y: number, viewport = port) => {
    const node = nodeAtPoint(tree, viewport, x, y);
    return node < 0 ? "nothing" : (names[tree.function[node]] ?? "all");
  };

  test("the box of that row", () => {
    expect(name(500, 5)).toBe("all");
    expect(name(500, 25)).toBe("main");
    expect(name(300, 45)).toBe("a");
    expect(name(100, 65)).toBe("b");
    expect(name(300, 65)).toBe("nothing");
    expect(name(950, 45)).toBe("nothing");
    expect(name(500, 99)).toBe("nothing");
  });

  test("in a flame graph the root is below", () => {
    const upward = { ...port, upward: true };
    expect(rowTop(upward, 0)).toBe(80);
    expect(name(500, 85, upward)).toBe("all");
    expect(name(300, 45, upward)).toBe("a");
  });

  test("rows at the root may be left out", () => {
    expect(name(500, 5, { ...port, skip: 1 })).toBe("main");
    expect(name(500, 85, { ...port, skip: 1, upward: true })).toBe("main");
    expect(seen({ ...port, skip: 2 }).boxes).toEqual(["a 0+400", "b 0+200", "c 400+500"]);
  });

  test("callers of what was zoomed into", () => {
    const a = 2;
    const zoomed = { ...port, root: a, from: tree.start[a], to: tree.start[a] + tree.total[a], rows: rowsBelow(tree, a) };
    expect(name(999, 25, zoomed)).toBe("main");
    expect(name(999, 45, zoomed)).toBe("a");
  });
});
