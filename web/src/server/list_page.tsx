// The first page of the server: its profiles, how to bring more, and what can be recorded.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Brand, ThemeButton } from "../view/header";
import type { Api, ProfileInfo, ServerStatus } from "./api";
import { failureText } from "./failure";
import { nanoseconds, ProfileList } from "./profile_list";
import { RecordPanel } from "./record_panel";
import { UploadButton, UploadList, type Uploads } from "./uploads";

const settleMs = 200; // after the last letter of a search

interface ListPageProps {
  readonly api: Api;
  readonly uploads: Uploads;
  readonly changes: number; // another number: the list is fetched again
}

export function ListPage({ api, uploads, changes }: ListPageProps) {
  const status = useSignal<ServerStatus | null>(null);
  const query = useSignal({ search: "", tag: "", again: 0 });
  const page = useSignal<{ profiles: readonly ProfileInfo[]; next: string | null } | null>(null);
  const compared = useSignal<readonly ProfileInfo[]>([]);
  const trouble = useSignal("");
  const fail = (error: unknown) => (trouble.value = failureText(error));
  useEffect(() => {
    document.title = "flametap";
    api.status().then((said) => (status.value = said), fail);
  }, []);
  useEffect(() => {
    const { search, tag } = query.value;
    let current = true;
    const fetchList = () =>
      api.profiles(search, tag, null).then((found) => {
        if (!current) return;
        page.value = found;
        trouble.value = "";
      }, fail);
    const timer = window.setTimeout(fetchList, search === "" ? 0 : settleMs);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [query.value, changes]);
  const older = () => {
    const { search, tag } = query.value;
    const before = page.value;
    if (before === null || before.next === null) return;
    api.profiles(search, tag, before.next).then((more) => {
      page.value = { profiles: [...before.profiles, ...more.profiles], next: more.next };
    }, fail);
  };
  const { search, tag } = query.value;
  return (
    <div class="page list-page">
      <header class="header">
        <div class="header-row">
          <Brand />
          <h1 class="visually-hidden">Profiles</h1>
          <input
            type="search"
            aria-label="Search profiles"
            placeholder="Search profiles"
            value={search}
            onInput={(event) => (query.value = { ...query.value, search: event.currentTarget.value })}
          />
          {tag !== "" && (
            <button type="button" class="chip" title={`Remove: ${tag}`} onClick={() => (query.value = { ...query.value, tag: "" })}>
              {tag} <span aria-hidden="true">✕</span>
            </button>
          )}
          <div class="header-tools">
            <UploadButton uploads={uploads} />
            <ThemeButton />
          </div>
        </div>
      </header>
      <main class="list-main">
        {trouble.value !== "" && <p class="damage" role="alert">{trouble.value}</p>}
        <UploadList uploads={uploads} />
        <CompareBar compared={compared.value} onClear={() => (compared.value = [])} />
        {page.value !== null && page.value.profiles.length === 0 && (
          <p class="empty-list">{search !== "" || tag !== "" ? "No profile matches." : "There is no profile yet. Drop a file anywhere on this page."}</p>
        )}
        {page.value !== null && page.value.profiles.length > 0 && (
          <ProfileList
            api={api}
            profiles={page.value.profiles}
            compared={compared}
            onTag={(next) => (query.value = { ...query.value, tag: next })}
            onChanged={() => (query.value = { ...query.value, again: query.value.again + 1 })}
          />
        )}
        {page.value !== null && page.value.next !== null && (
          <button type="button" onClick={older}>
            Older profiles
          </button>
        )}
        {status.value?.allow_record && <RecordPanel api={api} />}
        <UploadCommand auth={status.value?.auth ?? false} />
      </main>
    </div>
  );
}

function CompareBar({ compared, onClear }: { compared: readonly ProfileInfo[]; onClear: () => void }) {
  if (compared.length === 0) return null;
  const [before, after] = [...compared].sort((a, b) => (nanoseconds(a.start_unix_ns) < nanoseconds(b.start_unix_ns) ? -1 : 1));
  return (
    <div class="compare-bar" role="status">
      {after === undefined ? (
        <span>Choose a second profile to compare with {before.name}.</span>
      ) : (
        <a class="button" href={`/diff/${encodeURIComponent(before.id)}/${encodeURIComponent(after.id)}`}>
          Compare {before.name} with {after.name}
        </a>
      )}
      <button type="button" class="plain" onClick={onClear}>
        Cancel
      </button>
    </div>
  );
}

function UploadCommand({ auth }: { auth: boolean }) {
  const token = auth ? ' -H "Authorization: Bearer $TOKEN"' : "";
  return (
    <section class="upload-command" aria-label="Upload from a shell">
      <p class="quiet">Upload from a shell:</p>
      <pre tabIndex={0}>{`curl --data-binary @recording.ftap${token} '${window.location.origin}/api/profiles?name=nightly&tags=shop,main'`}</pre>
    </section>
  );
}
