// FtapReader: a Recording from the bytes of an .ftap file (docs/formats/ftap.md), as much of it as is there, however it
// was cut or damaged. The bytes may come in any pieces, as those of a recording that goes on do.
//
// Whatever the bytes are, the Recording is sound: numbers in range, no cycle, sums that fit. Its `damage` says what is
// missing from it.
import type { ChunkHeader } from "./chunk";
import { ChunkScanner } from "./chunk_scanner";
import { Cursor } from "./cursor";
import type { Recording } from "./recording";
import { nothingSaid, readRecordingSection } from "./recording_section";
import { SampleTable } from "./sample_table";
import { settle } from "./settle";
import { Sources } from "./sources";
import { Tables } from "./tables";

/** The bytes are no recording, or one that cannot be read: the message says why, for people. */
export class UnreadableRecording extends Error {}

const Section = {
  recording: 1,
  strings: 2,
  functions: 3,
  frames: 4,
  stacks: 5,
  processes: 6,
  threads: 7,
  samples: 8,
  sources: 9,
} as const;
// Stays with the profile in whatever format it goes on.
const lostSamples = "lost_from_file";

export class FtapReader {
  private readonly scanner = new ChunkScanner((header, plain) => this.readChunk(header, plain));
  private readonly tables = new Tables();
  private readonly samples = new SampleTable();
  private readonly sources = new Sources();
  private said = nothingSaid;
  private soundChunks = 0;
  private absurdChunks = 0; // whose checksum fits and whose content cannot be
  private ended = false;

  constructor(private readonly name: string) {}

  /** How many bytes were added: where to go on asking for those of a live recording. */
  get bytesSeen(): number {
    return this.scanner.bytesSeen;
  }

  /** Whether there is something to show already: of a live recording there may be nothing for a second. */
  get hasContent(): boolean {
    return this.soundChunks > 0;
  }

  add(bytes: Uint8Array): void {
    this.scanner.add(bytes);
  }

  /** All that was read so far. Shares its tables with those before and after it. Throws UnreadableRecording. */
  recording(): Recording {
    this.scanner.settle();
    if (this.soundChunks === 0) throw new UnreadableRecording(this.whyUnreadable());
    const { namelessSamples, ...settled } = settle(this.tables, this.samples);
    const { counts, ...said } = this.said;
    const more = new Map(counts.more);
    if (this.samples.lost > 0) more.set(lostSamples, (more.get(lostSamples) ?? 0) + this.samples.lost);
    return {
      name: this.name,
      ...said,
      complete: this.ended,
      damage: this.damage(namelessSamples),
      counts: { ...counts, more },
      ...settled,
      sources: this.sources.byString(settled.strings),
    };
  }

  private readChunk(header: ChunkHeader, plain: Uint8Array): void {
    this.soundChunks += 1;
    this.ended ||= header.last;
    const content = new Cursor(plain);
    let sensible = true;
    while (content.left > 0) {
      const kind = content.u8();
      const section = new Cursor(content.take(content.u32()));
      if (!content.ok) {
        sensible = false;
        break;
      }
      // Behind a table that cannot be, no other table is believed; samples are checked on their own.
      if (sensible || kind === Section.samples) sensible = this.readSection(kind, section) && sensible;
    }
    if (!sensible) this.absurdChunks += 1;
  }

  private readSection(kind: number, cursor: Cursor): boolean {
    const bytesSeen = this.scanner.bytesSeen;
    switch (kind) {
      case Section.recording:
        return this.readRecording(cursor);
      case Section.strings:
        return this.tables.readStrings(cursor, bytesSeen);
      case Section.functions:
        return this.tables.readFunctions(cursor, bytesSeen);
      case Section.frames:
        return this.tables.readFrames(cursor, bytesSeen);
      case Section.stacks:
        return this.tables.readStacks(cursor, bytesSeen);
      case Section.processes:
        return this.tables.readProcesses(cursor, bytesSeen);
      case Section.threads:
        return this.tables.readThreads(cursor, bytesSeen);
      case Section.samples:
        return this.samples.read(cursor);
      case Section.sources:
        return this.sources.read(cursor);
      default:
        return true; // of a later version
    }
  }

  private readRecording(cursor: Cursor): boolean {
    const said = readRecordingSection(cursor);
    if (said !== null) this.said = said;
    return said !== null;
  }

  private whyUnreadable(): string {
    const { tooNew, newerChunks, headerDamaged } = this.scanner.findings;
    if (tooNew > 0 || newerChunks > 0) return "It was written by a newer flametap: use a newer flametap to look at it.";
    if (this.scanner.bytesSeen === 0) return "It is empty.";
    if (headerDamaged) return "It is no recording of flametap.";
    return "There is no whole chunk of a recording in it: it was cut off before the first one.";
  }

  private damage(namelessSamples: number): string[] {
    const { findings } = this.scanner;
    const sentences: string[] = [];
    if (findings.headerDamaged) sentences.push("The file's header is damaged; the recording is in the rest of it.");
    if (findings.damagedStretches > 0) {
      const where = counted(findings.damagedStretches, "place");
      sentences.push(`Damaged and passed over: ${counted(findings.damagedBytes, "byte")} in ${where}.`);
    }
    if (findings.lostChunks > 0 || this.samples.lost > 0) {
      const what = `${counted(findings.lostChunks, "chunk")} with ${counted(this.samples.lost, "sample")}`;
      sentences.push(`Missing from the recording: ${what}.`);
    }
    const leftOut = (chunks: number, why: string) => {
      if (chunks > 0) sentences.push(`Left out: ${counted(chunks, "chunk")} ${why}.`);
    };
    leftOut(findings.foreignChunks, "of another recording");
    leftOut(findings.newerChunks, "for newer versions of flametap");
    leftOut(this.absurdChunks, "with a content that cannot be, at least in part");
    if (namelessSamples > 0) {
      sentences.push(`Shown as (lost): names that are missing, in ${counted(namelessSamples, "sample")}.`);
    }
    const behind = this.ended ? this.scanner.bytesUnused : 0;
    if (behind > 0) sentences.push(`Passed over: ${counted(behind, "byte")} behind the end of the recording.`);
    return sentences;
  }
}

function counted(amount: number, thing: string): string {
  return `${amount.toLocaleString("en-US")} ${thing}${amount === 1 ? "" : "s"}`;
}
