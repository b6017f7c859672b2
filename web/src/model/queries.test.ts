import { describe, expect, it } from "vitest";
import type { Recording } from "../recording/recording";
import { recordingOf } from "../recording/test_builder";
import { buildTree } from "./build_tree";
import type { CallTree } from "./call_tree";
import { sandwichOf } from "./sandwich";
import { matchedTotal, matchingFunctions, matchingNodes, nextMatch, parseSearch } from "./search";
import { everything, Origin } from "./selection";
import { sourceHeat } from "./source";
import { nodeName, stackText } from "./stack_text";
import { sortTop, topOf } from "./top";
import { weightsByThread, weightsOf, whyNotMode } from "./weights";

const recording = recordingOf([
  ["main:1 f:5 g:9 f:6 h:7", { weight: 2 }],
  ["main:1 f:5", { weight: 1 }],
  ["main:2 g:9", { weight: 8 }],
  ["lib_main f:5 h:7", { weight: 4, thread: 1 }],
]);
const numberOf = (name: string) => recording.strings.indexOf(name);
const functionOf = (name: string) => recording.functions.name.indexOf(numberOf(name));

function names(tree: CallTree, from: Recording): string[] {
  return Array.from({ length: tree.count - 1 }, (_, i) => `${nodeName(tree, from, i + 1)} ${tree.total[i + 1]}`);
}

describe("search", () => {
  const tree = buildTree(recording, everything);
  const matching = (text: string, plain = false) => {
    const { pattern } = parseSearch(text, { plain });
    return pattern === null ? new Uint8Array() : matchingFunctions(recording, pattern);
  };

  it("finds names and files", () => {
    expect(matching("^f$")[functionOf("f")]).toBe(1);
    expect(matching("site-packages").reduce((sum, x) => sum + x)).toBe(1);
    expect(matching("f \\(app.py:1\\)")[functionOf("f")]).toBe(1);
  });

  it("counts a match below a match once, and changes no total", () => {
    const total = tree.total[0];
    expect(matchedTotal(tree, matching("^[fg]$"))).toBe(15);
    expect(matchedTotal(tree, matching("main"))).toBe(15);
    expect(matchedTotal(tree, matching("nothing"))).toBe(0);
    expect(tree.total[0]).toBe(total);
  });

  it("lists the nodes in the order in which they are drawn, to go around", () => {
    const nodes = matchingNodes(tree, matching("^h$"));
    expect([...nodes].map((node) => nodeName(tree, recording, node))).toEqual(["h", "h"]);
    expect(nextMatch(nodes, 0)).toBe(nodes[0]);
    expect(nextMatch(nodes, nodes[0])).toBe(nodes[1]);
    expect(nextMatch(nodes, nodes[1])).toBe(nodes[0]);
    expect(nextMatch(nodes, nodes[0], true)).toBe(nodes[1]);
    expect(nextMatch(new Uint32Array(0), 0)).toBe(-1);
  });

  it("says what is wrong with a regular expression, and takes text as it stands", () => {
    expect(parseSearch("f(").error).toMatch(/regular expression/i);
    expect(matching("(app.py:1)", true).reduce((sum, x) => sum + x)).toBeGreaterThan(0);
  });

  it("looks at capital letters only if there are some", () => {
    expect(matching("MAIN").reduce((sum, x) => sum + x)).toBe(0);
    expect(parseSearch("\\Smain").pattern?.flags).toBe("i");
    expect(parseSearch("main").pattern?.flags).toBe("i");
  });
});

describe("top", () => {
  const rows = (column: "self" | "total" | "name", inverted = false, matching: Uint8Array | null = null) => {
    const top = topOf(buildTree(recording, { ...everything, inverted }), recording);
    const order = sortTop(top, recording, { column, ascending: column === "name", matching });
    return [...order].map((row) => {
      const name = recording.strings[recording.functions.name[top.function[row]]];
      return `${name} ${top.self[row]}/${top.total[row]}`;
    });
  };

  it("counts a function once, however often it stands on the stack", () => {
    expect(rows("self")).toEqual(["g 8/10", "h 6/6", "f 1/7", "main 0/11", "lib_main 0/4"]);
    expect(rows("total")).toEqual(["main 0/11", "g 8/10", "f 1/7", "h 6/6", "lib_main 0/4"]);
    expect(rows("name")[0]).toBe("f 1/7");
  });

  it("is the same of an inverted tree", () => expect(rows("self", true)).toEqual(rows("self")));

  it("follows a search", () => {
    const matching = new Uint8Array(recording.functions.count);
    matching[functionOf("g")] = 1;
    expect(rows("self", false, matching)).toEqual(["g 8/10"]);
  });
});

it("sandwich: callers and callees of a function weigh the same", () => {
  const { callers, callees, total, self } = sandwichOf(recording, everything, functionOf("f"));
  expect([total, self]).toEqual([7, 1]);
  expect(names(callers, recording)).toEqual(["f 7", "lib_main 4", "main 3"]);
  expect(names(callees, recording)).toEqual(["f 7", "g 2", "f 2", "h 2", "h 4"]);
  const hidden = { ...everything, hidden: [Origin.library, Origin.own] };
  expect(names(sandwichOf(recording, hidden, functionOf("f")).callers, recording)).toEqual(["f 7"]);
});

it("source: lines and files count once", () => {
  const { files, whole } = sourceHeat(recording, everything);
  expect(whole).toBe(15);
  expect(files.map((file) => [recording.strings[file.file], file.self, file.total])).toEqual([
    ["app.py", 15, 15],
    ["/venv/lib/python3.11/site-packages/lib.py", 0, 4],
  ]);
  expect([...files[0].lines]).toEqual([1, 2, 5, 6, 7, 9]);
  expect([...files[0].lineSelf]).toEqual([0, 0, 1, 0, 6, 8]);
  expect([...files[0].lineTotal]).toEqual([3, 8, 7, 2, 6, 10]);
});

it("text of a stack has the outermost call first", () => {
  const line = (name: string) => `${name} (app.py:1)`;
  const tree = buildTree(recording, everything);
  const node = matchingNodes(tree, matchingFunctions(recording, /^h$/))[1];
  expect(stackText(tree, recording, node)).toBe(["main", "f", "g", "f", "h"].map(line).join("\n"));
  const inverted = buildTree(recording, { ...everything, inverted: true, byThread: true });
  const caller = matchingNodes(inverted, matchingFunctions(recording, /^main$/))[0];
  expect(stackText(inverted, recording, caller)).toBe(`thread MainThread (7)\n${line("main")}\n${line("f")}`);
});

it("weights: by stack, by thread, and as a share of wall time", () => {
  const states = recordingOf([
    ["a", { weight: 3, state: 0 }],
    ["a", { weight: 1, thread: 1 }],
  ]);
  const weights = weightsOf(states, { ...everything, mode: "cpu" });
  expect([weights.total, weights.wallTotal, weights.shareOfWall]).toEqual([1, 4, 0.25]);
  expect([...weights.byStack]).toEqual([0, 1]);
  expect([...weightsByThread(states, { ...everything, threads: [1] })]).toEqual([3, 1]);
});

it("modes that were not recorded cannot be chosen", () => {
  const gil: Recording = { ...recording, mode: "gil" };
  expect(whyNotMode(recording, "cpu")).toBeNull();
  expect(whyNotMode(gil, "gil")).toBeNull();
  expect(whyNotMode(gil, "wall")).toContain("record with --mode wall");
  expect(whyNotMode({ ...recording, mode: "unknown" }, "cpu")).toContain("does not say");
});
