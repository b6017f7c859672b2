// What a recording tells of itself, in words: for the top of its page. Losses are always told; one that is not zero is loud.

import { count, duration } from "../model/format";
import type { Recording } from "../recording/recording";

export interface RecordingFact {
  readonly text: string;
  readonly title: string;
  readonly loud: boolean;
}

export function commandOf(recording: Recording): string {
  return recording.processes[0]?.command || recording.name;
}

export function recordingFacts(recording: Recording): RecordingFact[] {
  return [...origin(recording), ...extent(recording), ...losses(recording)];
}

function origin(recording: Recording): RecordingFact[] {
  const { processes } = recording;
  const pythons = [...new Set(processes.map((process) => process.python).filter((version) => version !== ""))];
  const facts: RecordingFact[] = [];
  if (pythons.length > 0) facts.push(quiet(`Python ${pythons.slice(0, 3).join(", ")}`, "the version of the program's interpreter"));
  const pids = processes.map((process) => process.pid).filter((pid) => pid > 0);
  if (pids.length === 1) facts.push(quiet(`pid ${pids[0]}`, "the process that was recorded"));
  if (pids.length > 1) facts.push(quiet(`${count(pids.length)} processes`, `pids ${pids.slice(0, 50).join(", ")}`));
  return facts;
}

function extent(recording: Recording): RecordingFact[] {
  const { samples, rateHz } = recording;
  let ticks = 0;
  for (let i = 0; i < samples.count; i++) ticks += samples.ticks[i];
  const facts = [quiet(`${count(ticks || samples.count)} samples`, "looks at single threads")];
  // A profile that was converted may not know any of these: then nothing is said, rather than something untrue.
  if (recording.durationNs > 0) facts.push(quiet(duration(recording.durationNs), "how long was recorded"));
  if (rateHz > 0) facts.push(quiet(`${Number(rateHz.toPrecision(6))} Hz`, "how often it was asked to look"));
  else if (isOurs(recording)) facts.push(quiet("as fast as possible", "how often it was asked to look"));
  facts.push(quiet(modeText(recording), "which samples are in the recording"));
  if (recording.startUnixNs > 0n) facts.push(quiet(dateText(recording.startUnixNs), "when the recording began"));
  return facts;
}

function losses(recording: Recording): RecordingFact[] {
  const { counts } = recording;
  const lost = counts.more.get("lost_from_file") ?? 0;
  const always = [
    told(counts.missedTicks, "missed", "ticks that passed while the sampler was late; the time of more than a few in a row is (not sampled)"),
    told(counts.torn, "torn", "samples without a stack: the thread kept moving and could not be stopped"),
    told(lost, "lost", "samples that were in damaged parts of the file"),
  ];
  if (recording.native) {
    always.push(told(counts.unmerged, "unmerged", "samples whose C and Python stacks did not fit together: shown as Python only"));
  }
  const rare = [
    told(counts.unreadable, "unreadable", "samples without a stack: what was read cannot be one"),
    told(counts.truncated, "truncated", "samples with the innermost frames only: the stack was too deep"),
    told(counts.nativeTruncated, "C stacks cut", "samples whose outermost C calls are missing"),
    told(counts.guessed, "guessed", "samples with a C call that was found by the frame pointer alone"),
  ];
  const further = [...counts.more].filter(([name, number]) => name !== "lost_from_file" && number > 0);
  return [
    ...(isOurs(recording) ? always : always.filter((fact) => fact.loud)),
    ...rare.filter((fact) => fact.loud),
    ...further.map(([name, number]) => furtherCount(name, number)),
  ];
}

// The sampler's own words. Those that tell of a loss are loud, whatever else they are.
function furtherCount(name: string, number: number): RecordingFact {
  const isLoss = /lost|left_out|closed|too short|unread|denied/.test(name);
  return { text: `${count(number)} ${name.replaceAll("_", " ")}`, title: "a further count of the recording", loud: isLoss };
}

// Other profilers do not say which samples are missing.
const isOurs = (recording: Recording) => recording.mode !== "unknown";

function told(number: number, word: string, title: string): RecordingFact {
  return { text: `${count(number)} ${word}`, title, loud: number > 0 };
}

function quiet(text: string, title: string): RecordingFact {
  return { text, title, loud: false };
}

function modeText(recording: Recording): string {
  const native = recording.native ? " + native" : "";
  return recording.mode === "unknown" ? `mode not known${native}` : `${recording.mode} recorded${native}`;
}

export function dateText(unixNs: bigint): string {
  const date = new Date(Number(unixNs / 1_000_000n));
  if (Number.isNaN(date.getTime())) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
