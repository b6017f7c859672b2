// The binary under test: real recordings of a real program, and a real server.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const here = import.meta.dirname;
export const root = join(here, "../..");
export const binary = process.env.FLAMETAP ?? join(root, "build/flametap");
const python = process.env.FLAMETAP_TEST_PYTHON ?? "/usr/bin/python3";

export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "flametap-browser-"));
  file(name: string): string {
    return join(this.path, name);
  }
  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

/** Runs flametap in the project's folder to its end, which must be a good one; gives what it printed. */
export function flametap(...words: string[]): string {
  const done = spawnSync(binary, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`flametap ${words.join(" ")}: exit code ${done.status}\n${done.stderr}`);
  return done.stdout;
}

/** The next line that a process prints. */
async function line(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<RegExpExecArray> {
  const lines = createInterface({ input: stream });
  try {
    for await (const text of lines) {
      const found = wanted.exec(text);
      if (found) return found;
    }
  } finally {
    lines.close();
  }
  throw new Error(`it ended without saying ${wanted}`);
}

export class Target {
  private readonly ended: Promise<unknown>;

  private constructor(private readonly process: ChildProcess) {
    this.ended = once(process, "exit");
  }

  static async start(): Promise<Target> {
    const started = spawn(python, [join(here, "target.py")], { stdio: ["pipe", "pipe", "inherit"] });
    await line(started.stdout, /^ready$/);
    return new Target(started);
  }
  get pid(): string {
    return String(this.process.pid);
  }
  /** May be called again. */
  async stop(): Promise<void> {
    this.process.stdin?.end();
    await this.ended;
  }
}

// Functions of target.py that the tests look for; each is on a stack for some percent of the time.
const wanted = ["spin", "encode", "dumps", "collect", "descend", "wait", "hacked"];

/** Whether a recording that may still go on has enough of everything: on a busy machine that takes its time. */
function hasEverything(path: string): boolean {
  const done = spawnSync(binary, ["report", path, "-f", "folded", "--mode", "wall", "-o", "-"], { encoding: "utf8", maxBuffer: 1 << 28 });
  const stacks = done.stdout.split("\n");
  const ticks = (name: string) => stacks.reduce((sum, line) => sum + (line.includes(name) ? Number(line.slice(line.lastIndexOf(" "))) : 0), 0);
  return done.status === 0 && wanted.every((name) => ticks(name) >= 20);
}

/** A recording of at least two seconds of a program that has something for every view; `path` ends with .ftap. */
export async function record(path: string, ...options: string[]): Promise<void> {
  const target = await Target.start();
  try {
    const words = ["record", "-p", target.pid, "-r", "500", "--mode", "wall", "-o", path, ...options];
    const recording = spawn(binary, words, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    const ended = once(recording, "exit");
    await setTimeout(2000);
    while (recording.exitCode === null && !hasEverything(path)) await setTimeout(200);
    recording.kill("SIGINT");
    const [code] = await ended;
    if (code !== 0) throw new Error(`flametap ${words.join(" ")}: exit code ${code}`);
  } finally {
    await target.stop();
  }
}

/** Something of flametap's that listens: `serve`, or `record --serve`. */
export class Listening {
  private readonly ended: Promise<number | null>;

  private constructor(
    private readonly process: ChildProcess,
    readonly origin: string,
    readonly path: string, // of the page that it names
  ) {
    this.ended = once(process, "exit").then(([code]) => code as number | null);
  }

  static async start(...words: string[]): Promise<Listening> {
    const started = spawn(binary, words, { stdio: ["ignore", "inherit", "pipe"] });
    const found = await line(started.stderr, /(http:\/\/[^/\s]+)(\/[^,\s]*)/);
    started.stderr.resume();
    return new Listening(started, found[1], found[2]);
  }
  interrupt(): void {
    this.process.kill("SIGINT");
  }
  exitCode(): Promise<number | null> {
    return this.ended;
  }
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.process.kill(signal);
    await this.ended;
  }
}
