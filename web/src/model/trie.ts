// Trie: merges paths of calls into a tree. No object per node: columns that grow, and an open-addressing table from
// (parent, key) to the child. Nothing here recurses, so a path may be as deep as it likes.
//
// A key says what a child is: children of one parent with the same key are one node. See keys.ts.

const leastCapacity = 1024;
const emptySlot = -1;

export class Trie {
  count = 1; // with the root, node 0; a parent's number is smaller than its children's
  parent: Int32Array;
  key: Uint32Array;
  self: Float64Array;
  inGc: Float64Array;
  waitingForGil: Float64Array;
  private slots: Int32Array;

  /** With room for so many nodes; for more it makes room. */
  constructor(expectedNodes: number) {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(expectedNodes + 1, leastCapacity)));
    this.parent = new Int32Array(capacity);
    this.key = new Uint32Array(capacity);
    this.self = new Float64Array(capacity);
    this.inGc = new Float64Array(capacity);
    this.waitingForGil = new Float64Array(capacity);
    this.slots = new Int32Array(capacity * 2).fill(emptySlot);
    this.parent[0] = -1;
  }

  /** The child of `parent` with this key, made if there is none. */
  child(parent: number, key: number): number {
    const slot = this.slotOf(parent, key);
    if (this.slots[slot] !== emptySlot) return this.slots[slot];
    const node = this.count++;
    if (node === this.parent.length) this.grow();
    this.parent[node] = parent;
    this.key[node] = key;
    if (this.count * 2 > this.slots.length) this.rehash(); // puts this one in, too
    else this.slots[slot] = node;
    return node;
  }

  /** -1 if there is none. */
  find(parent: number, key: number): number {
    return this.slots[this.slotOf(parent, key)];
  }

  add(node: number, weight: number, inGc: number, waitingForGil: number): void {
    this.self[node] += weight;
    this.inGc[node] += inGc;
    this.waitingForGil[node] += waitingForGil;
  }

  // Where it is, or the free one where it belongs.
  private slotOf(parent: number, key: number): number {
    const mask = this.slots.length - 1;
    let slot = hash(parent, key) & mask;
    for (;;) {
      const node = this.slots[slot];
      if (node === emptySlot || (this.parent[node] === parent && this.key[node] === key)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const capacity = this.parent.length * 2;
    this.parent = enlarged(this.parent, new Int32Array(capacity));
    this.key = enlarged(this.key, new Uint32Array(capacity));
    this.self = enlarged(this.self, new Float64Array(capacity));
    this.inGc = enlarged(this.inGc, new Float64Array(capacity));
    this.waitingForGil = enlarged(this.waitingForGil, new Float64Array(capacity));
  }

  private rehash(): void {
    const slots = new Int32Array(this.slots.length * 2).fill(emptySlot);
    const mask = slots.length - 1;
    for (let node = 1; node < this.count; ++node) {
      let slot = hash(this.parent[node], this.key[node]) & mask;
      while (slots[slot] !== emptySlot) slot = (slot + 1) & mask;
      slots[slot] = node;
    }
    this.slots = slots;
  }
}

function enlarged<T extends Int32Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function hash(parent: number, key: number): number {
  let mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(key + 1, 0x85ebca6b);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
