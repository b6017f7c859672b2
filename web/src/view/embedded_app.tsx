// A page with its recordings inside: one is a profile, two are a difference.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { readEmbedded } from "../state/embedded";
import { ProfileStore, startOf, type Wanted } from "../state/profile_store";
import type { Recording } from "../recording/recording";
import { DiffPage } from "./diff_page";
import { FailurePage, Reading, type Failure } from "./notices";
import { ProfilePage } from "./profile_page";

type Loaded = { readonly one: ProfileStore } | { readonly two: readonly [Recording, Recording] };

export function EmbeddedApp({ elements }: { elements: readonly HTMLScriptElement[] }) {
  const progress = useSignal({ done: 0, total: 0 });
  const loaded = useSignal<Loaded | null>(null);
  const failure = useSignal<Failure | null>(null);
  useEffect(() => {
    readEmbedded(elements, (done, total) => (progress.value = { done, total }))
      .then(([first, second]) => {
        loaded.value = second === undefined ? { one: new ProfileStore(first, startOf(first, wantedBy(elements[0]))) } : { two: [first, second] };
      })
      .catch((error: unknown) => {
        failure.value = { error: messageOf(error), remedy: "Make the page again: flametap report RECORDING -o page.html" };
      });
  }, []);
  if (failure.value !== null) return <FailurePage failure={failure.value} />;
  if (loaded.value === null) return <Reading {...progress.value} />;
  return "one" in loaded.value ? <ProfilePage store={loaded.value.one} /> : (
    <DiffPage recordings={loaded.value.two} wanted={wantedBy(elements[0])} />
  );
}

function wantedBy({ dataset }: HTMLScriptElement): Wanted {
  return { mode: dataset.mode, byThread: dataset.byThread !== undefined };
}

function messageOf(error: unknown): string {
  if (error instanceof DOMException) return "The recording in this page is damaged: it is no base64 text.";
  return error instanceof Error ? error.message : String(error);
}
