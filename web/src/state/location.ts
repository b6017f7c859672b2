// Keeps the page's URL and a ProfileStore the same: a change of the one is a change of the other. A step of undo is an
// entry of the browser's history as well, so Back works.

import { effect } from "@preact/signals";
import type { ProfileStore } from "./profile_store";
import { formatHash, parseHash } from "./view_state";

// Browsers refuse pages that change their URL many times a second: small changes are written when they have settled.
const settleMs = 250;

export class LocationFollower {
  private written = ""; // the hash as we know it
  private past: unknown; // of the history, when we last looked: another one is another step
  private timer = 0;
  private readonly stopWriting: () => void;
  private readonly read = () => this.take();

  constructor(
    private readonly store: ProfileStore,
    private readonly page: Window = window,
  ) {
    if (page.location.hash !== "") this.take(true);
    this.past = store.history.value.past;
    this.stopWriting = effect(() => this.follow());
    page.addEventListener("popstate", this.read);
    page.addEventListener("hashchange", this.read);
  }

  stop(): void {
    this.stopWriting();
    this.page.clearTimeout(this.timer);
    this.page.removeEventListener("popstate", this.read);
    this.page.removeEventListener("hashchange", this.read);
  }

  private take(asBeginning = false): void {
    const { hash } = this.page.location;
    if (hash === this.written) return;
    const state = parseHash(hash, this.store.start);
    // Written by hand, it may say the same in other words: then these words stay.
    this.written = formatHash(state, this.store.start);
    this.store.restore(state, asBeginning);
  }

  private follow(): void {
    const { present, past } = this.store.history.value;
    const isStep = past !== this.past;
    this.past = past;
    const hash = formatHash(present, this.store.start);
    this.page.clearTimeout(this.timer);
    if (hash === this.written) return;
    if (isStep) this.write(hash, true);
    else this.timer = this.page.setTimeout(() => this.write(hash, false), settleMs);
  }

  private write(hash: string, asStep: boolean): void {
    const { pathname, search } = this.page.location;
    this.written = hash;
    try {
      if (asStep) this.page.history.pushState(null, "", pathname + search + hash);
      else this.page.history.replaceState(null, "", pathname + search + hash);
    } catch {
      // The browser has had enough of them for now: the next change writes the URL again.
    }
  }
}
