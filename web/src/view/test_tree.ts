// A small CallTree for tests of views: "main 0 [ a 10 [ b 5 ] c 2 ]" is main, which calls a, which has 10 for itself, ...

import type { CallTree } from "../model/call_tree";

interface Node {
  name: string;
  self: number;
  children: Node[];
}

export interface TestTree {
  readonly tree: CallTree;
  readonly names: readonly string[]; // of functions
}

export function testTree(text: string): TestTree {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const root: Node = { name: "all", self: 0, children: parseNodes(words) };
  const names: string[] = [];
  const rows: Array<{ node: Node; parent: number; depth: number; end: number }> = [];
  const add = (node: Node, parent: number, depth: number) => {
    const row = { node, parent, depth, end: 0 };
    const number = rows.push(row) - 1;
    for (const child of node.children) add(child, number, depth + 1);
    row.end = rows.length;
  };
  add(root, -1, 0);
  const functionOf = (name: string) => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name);
  };
  const count = rows.length;
  const total = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--) {
    total[i] += rows[i].node.self;
    if (i > 0) total[rows[i].parent] += total[i];
  }
  const start = new Float64Array(count);
  for (let i = 1; i < count; i++) {
    const parent = rows[i].parent;
    start[i] = i === parent + 1 ? start[parent] : endOfBefore(rows, start, total, i);
  }
  return {
    names,
    tree: {
      count,
      parent: Int32Array.from(rows, (row) => row.parent),
      end: Uint32Array.from(rows, (row) => row.end),
      depth: Uint32Array.from(rows, (row) => row.depth),
      maxDepth: Math.max(...rows.map((row) => row.depth)),
      function: Uint32Array.from(rows, (row, i) => (i === 0 ? 0xffffffff : functionOf(row.node.name))),
      line: new Int32Array(count),
      label: new Uint32Array(count),
      labels: ["all"],
      self: Float64Array.from(rows, (row) => row.node.self),
      total,
      start,
      inGc: new Float64Array(count),
      waitingForGil: new Float64Array(count),
      unit: "nanoseconds",
      inverted: false,
      cut: 0,
    },
  };
}

function endOfBefore(rows: ReadonlyArray<{ parent: number }>, start: Float64Array, total: Float64Array, node: number): number {
  let before = node - 1;
  while (rows[before].parent !== rows[node].parent) before = rows[before].parent;
  return start[before] + total[before];
}

function parseNodes(words: string[]): Node[] {
  const nodes: Node[] = [];
  while (words.length > 0 && words[0] !== "]") {
    const node: Node = { name: words.shift()!, self: Number(words.shift()), children: [] };
    if (words[0] === "[") {
      words.shift();
      node.children = parseNodes(words);
      words.shift();
    }
    nodes.push(node);
  }
  return nodes;
}
