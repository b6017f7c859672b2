// Makes the CallTree of a Selection. Each stack that weighs something is found its node, once for each root: going up to
// a stack whose node is known, and down again. So the work is that of the stacks that are touched, however many threads
// there are. Nothing recurses: a stack may be deeper than that of JavaScript.
import type { Recording } from "../recording/recording";
import type { CallTree } from "./call_tree";
import { type Keys, keysOf } from "./keys";
import { layOut } from "./layout";
import { type Root, rootsOf } from "./roots";
import type { Selection } from "./selection";
import { StackSums } from "./stack_sums";
import { markerFrames, StackWalk } from "./stack_walk";
import { Trie } from "./trie";
import { SampleWeigher } from "./weights";

export function buildTree(recording: Recording, selection: Selection): CallTree {
  return build(recording, selection, (walk, stack) => (walk.has(stack) ? stack : notShown));
}

/** Who calls the function in focus: an inverted tree that begins at its outermost calls, with all that they took. */
export function buildCallers(recording: Recording, selection: Selection & { focus: number }): CallTree {
  const whole = { ...selection, inverted: true };
  return build(recording, whole, (walk, stack) => (walk.has(stack) ? walk.top(stack) : notShown), true);
}

const notShown = -1;
const noRoom = -1; // as Trie says that there is no such node
const nothingMore = -2;
const maxInvertedNodes = 1 << 21;

// Where the weight of a stack counts: at a stack above it, or not at all.
type CountAt = (walk: StackWalk, stack: number) => number;

function build(recording: Recording, selection: Selection, countAt: CountAt, beyondFocus = false): CallTree {
  const { roots, labels } = rootsOf(recording, selection);
  const keys = keysOf(recording, selection.byLine, labels);
  const trie = new Trie(Math.min(recording.samples.count, recording.stacks.count));
  const walk = new StackWalk(recording, selection);
  const weigher = new SampleWeigher(recording, selection);
  const sums = new StackSums(recording);
  const inserter = new StackInserter(recording, keys, trie, walk);
  let cut = 0;
  for (const root of roots) {
    for (const sample of root.samples) {
      const weight = weigher.weight(sample);
      if (weight === 0) continue;
      const stack = countAt(walk, recording.samples.stack[sample]);
      if (stack !== notShown) sums.add(sample, stack, weight);
    }
    if (sums.touched.length > 0) inserter.enter(root);
    const stop = (stack: number) => (beyondFocus ? 0 : walk.stop(stack));
    if (selection.inverted) cut += inserter.insertInverted(sums, stop);
    else inserter.insert(sums, stop);
    sums.clear();
  }
  return layOut(trie, keys, { unit: weigher.unit, inverted: selection.inverted, cut }).tree;
}

// The first stack, on the way from one outwards, that is not shown any more.
type Stop = (stack: number) => number;

// Puts stacks into the trie below one root after the other.
class StackInserter {
  private readonly nodeOf: Uint32Array; // by stack, where `seenBelow` says that it is of this root
  private readonly seenBelow: Uint32Array;
  private readonly path: Uint32Array;
  private readonly markers: ReadonlyMap<number, string>;
  private root = 0;
  private rootNumber = 0;
  private saidAlready: ReadonlySet<string> = new Set();

  constructor(
    private readonly recording: Recording,
    private readonly keys: Keys,
    private readonly trie: Trie,
    private readonly walk: StackWalk,
  ) {
    const count = recording.stacks.count;
    this.nodeOf = new Uint32Array(count);
    this.seenBelow = new Uint32Array(count);
    this.path = new Uint32Array(count);
    this.markers = markerFrames(recording);
  }

  enter(root: Root): void {
    ++this.rootNumber;
    this.root = 0;
    for (const label of root.labels) this.root = this.trie.child(this.root, this.keys.firstLabel + label);
    this.saidAlready = new Set(root.labels.map((label) => this.keys.labels[label]));
  }

  insert(sums: StackSums, stop: Stop): void {
    for (const stack of sums.touched) this.add(sums, stack, this.nodeFor(stack, stop(stack)));
  }

  private add(sums: StackSums, stack: number, node: number): void {
    this.trie.add(node, sums.weight[stack], sums.inGc[stack], sums.waitingForGil[stack]);
  }

  private nodeFor(stack: number, stop: number): number {
    const { parent, frame } = this.recording.stacks;
    let length = 0;
    let node = this.root;
    for (let at = stack; at !== stop; at = parent[at]) {
      if (this.seenBelow[at] === this.rootNumber) {
        node = this.nodeOf[at];
        break;
      }
      this.path[length++] = at;
    }
    while (length > 0) {
      const at = this.path[--length];
      if (this.isShown(frame[at])) node = this.trie.child(node, this.keys.ofFrame[frame[at]]);
      this.nodeOf[at] = node;
      this.seenBelow[at] = this.rootNumber;
    }
    return node;
  }

  /**
   * Puts the stacks in with the innermost call first: all of them one call outwards, then all the next one. So where the
   * nodes become too many, it is the outermost calls that are missing, and first those of the lightest stacks. Gives the
   * weight of the stacks of which some are.
   */
  insertInverted(sums: StackSums, stop: Stop): number {
    const { parent, frame } = this.recording.stacks;
    const going = sums.touched.slice().sort((a, b) => sums.weight[b] - sums.weight[a]);
    const nodes = new Uint32Array(going.length).fill(this.root);
    const places = going.slice(); // how far out each one is
    const stops = going.map(stop);
    let cut = 0;
    let left = going.length;
    while (left > 0) {
      let kept = 0;
      for (let i = 0; i < left; ++i) {
        const stack = going[i];
        const at = this.nextShown(places[i], stops[i]);
        const next = at === stops[i] ? nothingMore : this.childIfRoom(nodes[i], this.keys.ofFrame[frame[at]]);
        if (next < 0) {
          this.add(sums, stack, nodes[i]);
          if (next === noRoom) cut += sums.weight[stack];
          continue;
        }
        going[kept] = stack;
        nodes[kept] = next;
        places[kept] = parent[at];
        stops[kept++] = stops[i];
      }
      left = kept;
    }
    return cut;
  }

  private nextShown(stack: number, stop: number): number {
    const { parent, frame } = this.recording.stacks;
    let at = stack;
    while (at !== stop && !this.isShown(frame[at])) at = parent[at];
    return at;
  }

  private childIfRoom(node: number, key: number): number {
    return this.trie.count < maxInvertedNodes ? this.trie.child(node, key) : this.trie.find(node, key);
  }

  private isShown(frame: number): boolean {
    if (this.walk.isHidden(frame)) return false;
    if (this.saidAlready.size === 0) return true;
    const marker = this.markers.get(frame);
    return marker === undefined || !this.saidAlready.has(marker);
  }
}
