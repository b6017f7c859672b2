// The page of two profiles of the server.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Recording } from "../recording/recording";
import { DiffPage } from "../view/diff_page";
import { FailurePage, Reading, type Failure } from "../view/notices";
import type { Api } from "./api";
import { failureOf } from "./failure";
import { LiveRecording } from "./live_recording";

export function ServedDiff({ api, before, after }: { api: Api; before: string; after: string }) {
  const both = useSignal<readonly [Recording, Recording] | null>(null);
  const failure = useSignal<Failure | null>(null);
  useEffect(() => {
    const load = (id: string) => api.profile(id).then(({ name }) => new LiveRecording(api, id, name).load(() => {}));
    Promise.all([load(before), load(after)])
      .then((recordings) => (both.value = recordings))
      .catch((error: unknown) => (failure.value = failureOf(error)));
  }, [before, after]);
  if (failure.value !== null) return <FailurePage failure={failure.value} />;
  return both.value === null ? <Reading done={0} total={0} /> : <DiffPage recordings={both.value} />;
}
