// A made-up recording of any size, the same in every run: calls as programs have them, with a few paths that are taken
// most of the time and many that are rare.
import type { Recording } from "../src/recording/recording";
import { RecordingBuilder } from "../src/recording/test_builder";

export interface Shape {
  readonly nodes: number; // stacks, each of them with a sample
  readonly functions?: number;
  readonly maxDepth?: number;
  readonly threads?: number;
  readonly seed?: number;
}

/** Numbers from 0 to 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const tickNs = 1e6;

export function makeRecording(shape: Shape): Recording {
  const { nodes, functions = 5000, maxDepth = 60, threads = 4, seed = 1 } = shape;
  const random = randomNumbers(seed);
  const builder = new RecordingBuilder();
  builder.addProcess(4711, "python3 -m shop.worker --queue orders");
  for (let i = 0; i < threads; ++i) builder.addThread(0, 4711 + i, i === 0 ? "MainThread" : `Worker-${i}`);
  const frames = addFunctions(builder, functions);
  const depth = new Uint8Array(nodes + 1);
  const taken = new Set<number>(); // a parent and a frame are one stack
  for (let stack = 1; stack <= nodes; ) {
    // Mostly near the newest stack, as a program goes deeper step by step; else anywhere.
    const near = Math.max(0, stack - 1 - Math.floor(random() ** 3 * 40));
    const parent = random() < 0.8 ? near : Math.floor(random() * stack);
    if (depth[parent] >= maxDepth) continue;
    const frame = Math.floor(random() ** 2 * frames);
    const key = parent * frames + frame;
    if (taken.has(key)) continue;
    taken.add(key);
    depth[stack] = depth[parent] + 1;
    builder.addStack(parent, frame);
    ++stack;
  }
  addSamples(builder, nodes, threads, random);
  return builder.recording;
}

// Gives the number of frames: two lines for each function.
function addFunctions(builder: RecordingBuilder, functions: number): number {
  const folders = ["/srv/shop", "/usr/lib/python3.11", "/srv/venv/lib/python3.11/site-packages/web"];
  for (let i = 0; i < functions; ++i) {
    const file = `${folders[i % folders.length]}/module_${i % 97}.py`;
    builder.addFunction({ name: `Class${i % 211}.method_${i}`, file, firstLine: (i * 7) % 1000 });
    builder.addFrame(i, ((i * 7) % 1000) + 1);
    builder.addFrame(i, ((i * 7) % 1000) + 3);
  }
  return functions * 2;
}

function addSamples(builder: RecordingBuilder, nodes: number, threads: number, random: () => number): void {
  const states = [3, 3, 3, 1, 4, 0, 11];
  const perThread = Math.ceil(nodes / threads);
  const clocks = new Float64Array(threads);
  for (let i = 0; i < perThread * threads; ++i) {
    const thread = i % threads;
    const stack = 1 + thread * perThread + Math.floor(i / threads); // a thread goes from one stack to the next
    if (stack > nodes) continue;
    const ticks = 1 + Math.floor(random() ** 8 * 50);
    const state = states[Math.floor(random() * states.length)];
    builder.addSample(stack, { ticks, weight: ticks * tickNs, time: clocks[thread], thread, state });
    clocks[thread] += ticks * tickNs;
  }
}
