// The page of one profile of the server: as a file's, and it grows while the recording goes on.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ProfileStore } from "../state/profile_store";
import { FailurePage, Reading, type Failure } from "../view/notices";
import { ProfilePage } from "../view/profile_page";
import type { Api } from "./api";
import { DownloadMenu } from "./download_menu";
import { failureOf } from "./failure";
import { LiveRecording } from "./live_recording";

interface Served {
  readonly store: ProfileStore;
  readonly live: LiveRecording;
  readonly name: string;
}

export function ServedProfile({ api, id }: { api: Api; id: string }) {
  const progress = useSignal({ done: 0, total: 0 });
  const served = useSignal<Served | null>(null);
  const failure = useSignal<Failure | null>(null);
  useEffect(() => {
    let live: LiveRecording | null = null;
    const load = async () => {
      const { name } = await api.profile(id);
      live = new LiveRecording(api, id, name);
      const recording = await live.load((done, total) => (progress.value = { done, total }));
      const store = new ProfileStore(recording);
      document.title = `${name} – flametap`;
      served.value = { store, live, name };
      live.follow((grown) => (store.recording.value = grown));
    };
    load().catch((error: unknown) => (failure.value = failureOf(error)));
    return () => live?.stop();
  }, [id]);
  if (failure.value !== null) return <FailurePage failure={failure.value} />;
  if (served.value === null) return <Reading {...progress.value} />;
  const { store, live, name } = served.value;
  return (
    <ProfilePage
      store={store}
      growing={live.live.value}
      tools={
        <>
          <LiveBadge live={live} />
          <DownloadMenu api={api} id={id} name={name} />
        </>
      }
    />
  );
}

function LiveBadge({ live }: { live: LiveRecording }) {
  if (!live.live.value) return null;
  const paused = live.paused.value;
  return (
    <>
      <span class={paused ? "badge" : "badge live"} role="status" title={live.trouble.value || "New samples are shown every second"}>
        {live.trouble.value !== "" ? "no answer" : paused ? "paused" : "live"}
      </span>
      <button type="button" title={paused ? "Show new samples again" : "Keep the picture as it is"} onClick={() => (live.paused.value = !paused)}>
        {paused ? "Go on" : "Pause"}
      </button>
    </>
  );
}
