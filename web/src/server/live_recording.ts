// LiveRecording: a recording as the server hands it out, and what is added to it while it goes on.

import { signal } from "@preact/signals";
import { FtapReader } from "../recording/ftap_reader";
import type { Recording } from "../recording/recording";
import type { Progress } from "../state/embedded";
import type { Api } from "./api";

const everyMs = 1000;

export class LiveRecording {
  readonly live = signal(false);
  readonly paused = signal(false);
  readonly trouble = signal(""); // why nothing new comes, while it tries again
  private readonly reader: FtapReader;
  private readonly stopping = new AbortController();
  private timer = 0;

  constructor(
    private readonly api: Api,
    private readonly id: string,
    name: string,
  ) {
    this.reader = new FtapReader(name);
  }

  /** All that is there. Of a recording that has just begun, waits for the first of it. */
  async load(progress: Progress): Promise<Recording> {
    await this.fetchNew(progress);
    while (this.live.value && !this.reader.hasContent) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      await this.fetchNew(() => {});
    }
    return this.reader.recording();
  }

  /** Calls back with what there is then, whenever there is more, until the recording ends or stop() is called. */
  follow(onMore: (recording: Recording) => void): void {
    if (!this.live.value || this.stopping.signal.aborted) return;
    this.timer = window.setTimeout(() => void this.step(onMore), everyMs);
  }

  stop(): void {
    this.stopping.abort();
    window.clearTimeout(this.timer);
  }

  private async step(onMore: (recording: Recording) => void): Promise<void> {
    if (!this.paused.value) {
      try {
        const before = this.reader.bytesSeen;
        await this.fetchNew(() => {});
        this.trouble.value = "";
        if (this.reader.bytesSeen > before || !this.live.value) onMore(this.reader.recording());
      } catch (error) {
        this.trouble.value = error instanceof Error ? error.message : String(error);
      }
    }
    this.follow(onMore);
  }

  private async fetchNew(progress: Progress): Promise<void> {
    const response = await this.api.bytes(this.id, this.reader.bytesSeen, this.stopping.signal);
    const total = Number(response.headers.get("Content-Length") ?? 0);
    const body = response.body?.getReader();
    let done = 0;
    for (let piece = await body?.read(); piece !== undefined && !piece.done; piece = await body?.read()) {
      this.reader.add(piece.value);
      done += piece.value.length;
      progress(done, total);
    }
    this.live.value = response.headers.get("Flametap-Live") === "yes";
  }
}
