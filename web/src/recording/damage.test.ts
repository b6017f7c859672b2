// What becomes of recordings that are cut, damaged, or made to do harm.
import { describe, expect, it } from "vitest";
import { FtapReader, UnreadableRecording } from "./ftap_reader";
import { FrameKind, type Recording } from "./recording";
import { RecordingBuilder, recordingOf } from "./test_builder";
import { Bytes, chunk, contentsOf, fileHeader, ftapOf, joined, recordingSection } from "./test_ftap";
import { ftapBytes } from "./test_recordings";

function read(...pieces: Uint8Array[]): Recording {
  const reader = new FtapReader("test.ftap");
  for (const piece of pieces) reader.add(piece);
  return reader.recording();
}

const sampled = recordingOf([
  ["main f", { weight: 3 }],
  ["main g", { weight: 4, thread: 1 }],
]);
const contents = contentsOf(sampled);
const [strings, functions, frames, stacks, processes, threads, samples] = [0, 1, 2, 3, 4, 5, 6];
const chunks = contents.map((plain, i) => chunk(plain, { sequence: i, last: i === contents.length - 1 }));
const without = (...left: number[]) => joined([fileHeader(), ...chunks.filter((_, i) => !left.includes(i))]);

/** The stack of each sample, as text. */
function stacksOf(recording: Recording): string[] {
  return Array.from(recording.samples.stack, (stack) => {
    const names: string[] = [];
    for (let at = stack; at !== 0; at = recording.stacks.parent[at]) {
      const functionNumber = recording.frames.function[recording.stacks.frame[at]];
      names.unshift(recording.strings[recording.functions.name[functionNumber]]);
    }
    return names.join(" ");
  });
}

/** Whatever was read: each number leads somewhere. */
function expectSound(recording: Recording): void {
  const below = (values: ArrayLike<number>, count: number, limit: number) => {
    expect(values.length).toBe(count);
    let highest = -1;
    for (let i = 0; i < count; ++i) highest = Math.max(highest, values[i]);
    expect(highest).toBeLessThan(limit);
  };
  const { strings: texts, functions: f, frames: fr, stacks: st, samples: sa } = recording;
  for (const column of [f.name, f.file, f.module]) below(column, f.count, texts.length);
  below(f.kind, f.count, 5);
  below(fr.function, fr.count, f.count);
  below(st.frame.subarray(1), st.count - 1, fr.count);
  st.parent.forEach((parent, i) => i > 0 && parent >= i && expect.fail(`stack ${i} has the parent ${parent}`));
  below(sa.stack, sa.count, st.count);
  below(sa.thread, sa.count, recording.threads.length);
  for (const thread of recording.threads) expect(thread.process).toBeLessThan(recording.processes.length);
  for (const column of [sa.time, sa.weight, sa.ticks]) {
    expect(column.every((value) => value >= 0 && value < 2 ** 63)).toBe(true);
  }
}

describe("what is missing", () => {
  it("is nothing of a whole file", () => {
    expect(stacksOf(read(ftapOf(sampled)))).toEqual(["main f", "main g"]);
    expect(read(ftapOf(sampled)).damage).toEqual([]);
  });

  it.each([
    ["strings", strings],
    ["functions", functions],
    ["frames", frames],
    ["stacks", stacks],
  ])("of the %s is shown as (lost)", (_, part) => {
    const recording = read(without(part));
    expectSound(recording);
    expect(new Set(stacksOf(recording).join(" ").split(" "))).toEqual(new Set(["(lost)"]));
    expect(recording.damage).toEqual([
      "Missing from the recording: 1 chunk with 0 samples.",
      "Shown as (lost): names that are missing, in 2 samples.",
    ]);
    const lost = recording.functions.name.findIndex((name) => recording.strings[name] === "(lost)");
    expect(recording.functions.kind[lost]).toBe(FrameKind.marker);
  });

  it("of threads and processes is shown as (lost)", () => {
    const recording = read(without(threads, processes));
    expectSound(recording);
    expect(recording.samples.thread.every((number) => recording.threads[number].name === "(lost)")).toBe(true);
    const orphaned = read(without(processes));
    expect(orphaned.processes[orphaned.threads[0].process].command).toBe("(lost)");
    expect(orphaned.threads[0].name).toBe("MainThread");
  });

  it("of the samples is counted", () => {
    const section = (first: number) =>
      new Bytes().section(8, (b) => {
        b.u64(first).u32(1).u32(1000).u64(10).u64(5).column([0]).column([0]).column([1]).column([2]).column([3]).column([-1]);
      }).done;
    const recording = read(without(samples), chunk(section(10), { sequence: 9 }));
    expect(recording.damage[0]).toBe("Missing from the recording: 3 chunks with 10 samples.");
    expect(recording.counts.more.get("lost_from_file")).toBe(10);
    expect([recording.samples.time[0], recording.samples.weight[0], recording.samples.ticks[0]]).toEqual([5000, 19, 2]);
    expect(recording.complete).toBe(false);
  });
});

describe("damage", () => {
  const whole = ftapOf(sampled);
  const damagedAt = (...places: number[]) => {
    const bytes = whole.slice();
    for (const place of places) bytes[place] ^= 0x55;
    return bytes;
  };
  const startOf = (number: number) => 24 + chunks.slice(0, number).reduce((sum, bytes) => sum + bytes.length, 0);

  it("of the header costs nothing", () => {
    const recording = read(damagedAt(3));
    expect(stacksOf(recording)).toEqual(["main f", "main g"]);
    expect(recording.damage).toEqual(["The file's header is damaged; the recording is in the rest of it."]);
  });

  it.each([
    ["its marker", 0],
    ["its checksum", 5],
    ["its length", 20],
    ["its length, made larger than the file", 22],
    ["its content", 60],
  ])("of a chunk, in %s, costs that chunk", (_, place) => {
    const recording = read(damagedAt(startOf(frames) + place));
    expect(recording.samples.count).toBe(2);
    const size = chunks[frames].length;
    expect(recording.damage[0]).toBe(`Damaged and passed over: ${size} bytes in 1 place.`);
    expect(recording.damage[1]).toBe("Missing from the recording: 1 chunk with 0 samples.");
  });

  it("of two lengths costs two chunks", () => {
    const recording = read(damagedAt(startOf(strings) + 22, startOf(frames) + 22));
    expect(recording.samples.count).toBe(2);
    expect(recording.damage[1]).toBe("Missing from the recording: 2 chunks with 0 samples.");
  });

  it("behind the end is said", () => {
    const recording = read(whole, new Uint8Array(2000));
    expect(recording.damage).toEqual(["Passed over: 2,000 bytes behind the end of the recording."]);
  });

  it("between chunks is passed over", () => {
    const rubbish = new Uint8Array(1000).fill(0xd3);
    const recording = read(whole.subarray(0, startOf(stacks)), rubbish, whole.subarray(startOf(stacks)));
    expect(stacksOf(recording)).toEqual(["main f", "main g"]);
    expect(recording.damage).toEqual(["Damaged and passed over: 1,000 bytes in 1 place."]);
  });

  it("that cuts the end off costs what is cut", () => {
    const recording = read(whole.subarray(0, whole.length - 1));
    expect([recording.samples.count, recording.complete, recording.damage]).toEqual([0, false, []]);
  });
});

describe("chunks that do not belong", () => {
  const plain = recordingSection(new Bytes(), { ...sampled, ended: "wrong" }).done;

  it.each([
    ["of another recording", chunk(plain, { id: 5n, sequence: 100 }), "of another recording"],
    ["for the second time", chunk(plain, { sequence: 0 }), "of another recording"],
    ["for newer readers", chunk(plain, { sequence: 100, minReader: 9 }), "for newer versions of flametap"],
  ])("%s are left out", (_, stranger, why) => {
    const recording = read(ftapOf(sampled), stranger);
    expect(recording.ended).toBe("");
    expect(recording.damage).toEqual([`Left out: 1 chunk ${why}.`]);
  });

  it("make a file unreadable that is for newer readers as a whole", () => {
    expect(() => read(fileHeader(1n, 9, 9), chunk(plain, { id: 1n, sequence: 0, minReader: 9 }))).toThrow(/newer flametap/);
  });
});

describe("other versions", () => {
  it("1 has no modules and does not say whether C stacks were recorded", () => {
    const first = new Bytes();
    first.section(1, (b) => b.u64(1).u64(2).f64(100).u8(1).texts(["done"]).u32(1).column([9]).u32(0).texts([]).column([]));
    first.section(2, (b) => b.u32(0).u32(2).texts(["main", "a.py"]));
    first.section(3, (b) => b.u32(0).u32(1).column([0]).column([1]).column([4]).column([0]));
    const recording = read(fileHeader(), chunk(first.done, { sequence: 0, version: 1 }));
    expect([recording.mode, recording.native, recording.ended, recording.counts.ticks]).toEqual(["cpu", false, "done", 9]);
    expect(recording.strings[recording.functions.module[0]]).toBe("");
    expect(recording.strings[recording.functions.name[0]]).toBe("main");
    expectSound(recording);
  });

  it("later ones may have sections, counts and bytes that are not known", () => {
    const later = new Bytes().section(77, (b) => b.u64(1));
    later.section(2, (b) => b.u32(0).u32(1).texts(["é"]).u64(0));
    const recording = read(fileHeader(), chunk(later.done, { sequence: 0, version: 3 }));
    expect(recording.strings).toEqual(["é"]);
    expect(recording.damage).toEqual([]);
  });
});

it("sources are found by their paths, whichever comes first", () => {
  const sources = new Bytes().section(9, (b) => b.u32(2).texts(["app.py", "other.py"]).texts(["print()\n", "pass\n"])).done;
  const path = sampled.strings.indexOf("app.py");
  const last = contents.length;
  expect(read(ftapOf(sampled), chunk(sources, { sequence: last })).sources).toEqual(new Map([[path, "print()\n"]]));
  const first = [sources, ...contents].map((plain, i) => chunk(plain, { sequence: i }));
  expect(read(fileHeader(), ...first).sources).toEqual(new Map([[path, "print()\n"]]));
});

it("a recording that grows leaves the earlier ones as they were", () => {
  const bytes = ftapBytes("threads");
  const reader = new FtapReader("live.ftap");
  const seen: [Recording, number, number][] = [];
  for (let at = 0; at < bytes.length; at += 500) {
    reader.add(bytes.subarray(at, at + 500));
    if (!reader.hasContent) continue;
    const recording = reader.recording();
    expectSound(recording);
    seen.push([recording, recording.samples.count, recording.samples.weight.reduce((sum, value) => sum + value, 0)]);
  }
  expect(reader.bytesSeen).toBe(bytes.length);
  expect(seen.length).toBeGreaterThan(5);
  for (const [recording, count, weight] of seen) {
    expect(recording.samples.weight.length).toBe(count);
    expect(recording.samples.weight.reduce((sum, value) => sum + value, 0)).toBe(weight);
  }
});

describe("hostile files", () => {
  const header = fileHeader();
  const absurd = (fill: (bytes: Bytes) => void) => {
    const bytes = new Bytes();
    fill(bytes);
    const recording = read(header, chunk(bytes.done, { sequence: 0 }));
    expectSound(recording);
    return recording.damage;
  };
  const saysSo = ["Left out: 1 chunk with a content that cannot be, at least in part."];

  it.each<[string, (bytes: Bytes) => void]>([
    ["a section longer than its chunk", (b) => b.u8(2).u32(1000)],
    ["more rows than bytes", (b) => b.section(4, (s) => s.u32(0).u32(0xffffffff).u8(1).u64(0))],
    ["a row far beyond the file", (b) => b.section(4, (s) => s.u32(0xfffffff0).u32(1).column([0]).column([0]))],
    ["a column of width 0", (b) => b.section(4, (s) => s.u32(0).u32(1).u8(0).u64(0).column([0]))],
    ["texts of negative length", (b) => b.section(2, (s) => s.u32(0).u32(2).column([5, -5]))],
    ["a stack that is its own parent", (b) => b.section(5, (s) => s.u32(1).u32(1).column([0]).column([0]))],
    ["a stack 0", (b) => b.section(5, (s) => s.u32(0).u32(1).column([1]).column([0]))],
    ["a kind that nobody knows", (b) => b.section(3, (s) => s.u32(0).u32(1).column([0]).column([0]).column([0]).column([9]))],
    ["a rate that is no number", (b) => b.section(1, (s) => s.u64(0).u64(0).f64(Number.NaN).u8(0))],
    ["samples before they begin", (b) => b.section(8, (s) => putSample(s, { step: -1 }))],
    ["samples of negative weight", (b) => b.section(8, (s) => putSample(s, { weight: -1 }))],
    ["samples of endless weight", (b) => b.section(8, (s) => putSample(s, { ticks: 2 ** 40, perTick: 2 ** 40 }))],
    ["sources that are cut", (b) => b.section(9, (s) => s.u32(3).texts(["a", "b", "c"]))],
  ])("%s", (_, fill) => expect(absurd(fill)).toEqual(saysSo));

  function putSample(b: Bytes, { step = 0, weight = 0, ticks = 1, perTick = 0 }): void {
    b.u64(0).u32(1).u32(1).u64(perTick).u64(0).column([step]).column([0]).column([0]).column([ticks]).column([0]).column([weight]);
  }

  it("headers that overlap cost no more than a few times their bytes", () => {
    // Each marker claims a chunk of 64 KiB whose checksum is wrong.
    const claim = new Bytes().bytes([0xd3, 0x46, 0x54, 0x43]).u32(0).u64(1).u32(0).u32(1 << 16).u32(0);
    const start = claim.u8(0).u8(1).u8(2).u8(1).done;
    const bytes = new Uint8Array(1 << 20);
    for (let at = 0; at + start.length <= bytes.length; at += start.length) bytes.set(start, at);
    const reader = new FtapReader("hostile.ftap");
    reader.add(header);
    reader.add(bytes);
    expect(() => reader.recording()).toThrow(UnreadableRecording);
  });
});

describe("random damage", () => {
  // The same numbers in every run.
  let state = 12345;
  const random = (limit: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };

  function damaged(bytes: Uint8Array): Uint8Array {
    const from = random(bytes.length);
    const length = 1 + random(40);
    switch (random(4)) {
      case 0: // other bytes
        return bytes.map((byte, i) => (i >= from && i < from + length ? random(256) : byte));
      case 1: // bytes taken out
        return joined([bytes.subarray(0, from), bytes.subarray(from + length * 10)]);
      case 2: // bytes put in
        return joined([bytes.subarray(0, from), new Uint8Array(length).map(() => random(256)), bytes.subarray(from)]);
      default: // the end cut off
        return bytes.subarray(0, from);
    }
  }

  it.each(["threads", "native"] as const)("of the file %s leaves a sound recording", (name) => {
    const original = ftapBytes(name);
    for (let round = 0; round < 150; ++round) {
      let bytes = damaged(original);
      if (random(2) === 0 && bytes.length > 0) bytes = damaged(bytes);
      const reader = new FtapReader(name);
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + 1 + random(3000));
        reader.add(piece);
        at += piece.length;
      }
      if (reader.hasContent) expectSound(reader.recording());
    }
  });

  it("of the contents, whose checksums fit, leaves a sound recording", () => {
    const builder = new RecordingBuilder();
    builder.addProcess(1, "a.py");
    builder.addThread(0, 1, "t");
    let stack = 0;
    for (let i = 0; i < 50; ++i) {
      stack = builder.addStack(random(stack + 1), builder.addFrame(builder.addFunction({ name: `f${i}` }), i));
      builder.addSample(stack);
    }
    const plains = contentsOf(builder.recording);
    for (let round = 0; round < 300; ++round) {
      const broken = plains.map((plain) => (random(3) === 0 ? damaged(plain) : plain));
      expectSound(read(fileHeader(), ...broken.map((plain, i) => chunk(plain, { sequence: i }))));
    }
  });
});
