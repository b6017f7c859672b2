// How long the steps between the bytes of a recording and its pictures take.
//
//     npx esbuild bench/model.ts --bundle --platform=node --format=esm --outfile=node_modules/.bench.mjs
//     node node_modules/.bench.mjs [NODES]
//
// The first number is what a user waits for, the second one the time on a CPU, which other programs do not change.
import { performance } from "node:perf_hooks";
import { buildTree } from "../src/model/build_tree";
import { chartOf, visitRow } from "../src/model/chart";
import { diffOf, diffTop } from "../src/model/diff";
import { sandwichOf } from "../src/model/sandwich";
import { matchedTotal, matchingFunctions, matchingNodes, parseSearch } from "../src/model/search";
import { everything, Origin } from "../src/model/selection";
import { sourceHeat } from "../src/model/source";
import { sortTop, topOf } from "../src/model/top";
import { FtapReader } from "../src/recording/ftap_reader";
import { ftapOf } from "../src/recording/test_ftap";
import { makeRecording } from "./make_recording";

const nodes = Number(process.argv[2] ?? 1_000_000);
const rounds = 3; // besides one to warm up

function measure<T>(what: string, run: () => T): T {
  let result = run();
  let [leastTime, leastCpu] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < rounds; ++i) {
    const start = performance.now();
    const cpuStart = process.cpuUsage();
    result = run();
    const cpu = process.cpuUsage(cpuStart);
    leastTime = Math.min(leastTime, performance.now() - start);
    leastCpu = Math.min(leastCpu, (cpu.user + cpu.system) / 1000);
  }
  const column = (ms: number) => `${ms.toFixed(1).padStart(9)} ms`;
  console.log(`${what.padEnd(44)}${column(leastTime)}${column(leastCpu)}`);
  return result;
}

const made = makeRecording({ nodes });
const bytes = ftapOf(made);
console.log(`${nodes.toLocaleString("en-US")} stacks, ${(bytes.length / 1e6).toFixed(1)} MB of .ftap`);

const recording = measure("read", () => {
  const reader = new FtapReader("bench.ftap");
  reader.add(bytes);
  return reader.recording();
});
const whole = new FtapReader("bench.ftap");
whole.add(bytes);
measure("recording() again", () => whole.recording());
const tree = measure("tree", () => buildTree(recording, everything));
console.log(`  ${tree.count.toLocaleString("en-US")} nodes, ${tree.maxDepth} deep`);
measure("tree, only CPU", () => buildTree(recording, { ...everything, mode: "cpu" }));
measure("tree, libraries hidden", () => buildTree(recording, { ...everything, hidden: [Origin.library] }));
measure("tree, by line", () => buildTree(recording, { ...everything, byLine: true }));
measure("tree, by thread", () => buildTree(recording, { ...everything, byThread: true }));
const focus = recording.frames.function[recording.stacks.frame[1]];
measure("tree, focus", () => buildTree(recording, { ...everything, focus }));
const pattern = parseSearch("method_1.*7").pattern ?? /$^/;
const matching = measure("search: functions", () => matchingFunctions(recording, pattern));
measure("search: matched total", () => matchedTotal(tree, matching));
measure("search: nodes", () => matchingNodes(tree, matching));
const top = measure("top", () => topOf(tree, recording));
measure("top, sorted", () => sortTop(top, recording, { column: "self", ascending: false }));
measure("sandwich", () => sandwichOf(recording, everything, focus));
measure("source", () => sourceHeat(recording, everything));
const chart = measure("chart", () => chartOf(recording, everything));
const allBoxes = chart.threads.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.count, 0);
console.log(`  ${allBoxes.toLocaleString("en-US")} boxes`);
let boxes = 0;
measure("chart: all rows at 1,600 pixels", () => visitAll(chart.from, chart.to));
measure("chart: all rows, a thousandth of the time", () => visitAll(chart.to * 0.5, chart.to * 0.501));
console.log(`  ${boxes.toLocaleString("en-US")} boxes visited`);
const inverted = measure("tree, inverted", () => buildTree(recording, { ...everything, inverted: true }));
console.log(`  ${inverted.count.toLocaleString("en-US")} nodes`);
const other = makeRecording({ nodes, seed: 2 });
const diff = measure("diff", () => diffOf(recording, other, everything));
measure("diff, functions", () => diffTop(diff));

function visitAll(from: number, to: number): void {
  boxes = 0;
  for (const thread of chart.threads) {
    for (const row of thread.rows) visitRow(row, from, to, (to - from) / 1600, () => ++boxes);
  }
}
