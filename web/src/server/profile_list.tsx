// The profiles of the server: find, open, compare, change, delete.

import { useSignal, type Signal } from "@preact/signals";
import { bytes, count, duration } from "../model/format";
import { dateText } from "../view/recording_facts";
import type { Api, ProfileInfo } from "./api";
import { DeleteDialog, EditDialog } from "./profile_dialogs";
import { Thumbnail } from "./thumbnail";

export interface ProfileListProps {
  readonly api: Api;
  readonly profiles: readonly ProfileInfo[];
  readonly compared: Signal<readonly ProfileInfo[]>;
  readonly onTag: (tag: string) => void;
  readonly onChanged: () => void;
}

type Doing = { readonly what: "edit" | "delete"; readonly profile: ProfileInfo };

export function ProfileList({ api, profiles, compared, onTag, onChanged }: ProfileListProps) {
  const doing = useSignal<Doing | null>(null);
  const close = () => (doing.value = null);
  const done = () => {
    close();
    onChanged();
  };
  return (
    <>
      <table class="profiles">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Compare</span>
            </th>
            <th scope="col">Profile</th>
            <th scope="col">Recorded</th>
            <th scope="col">Size</th>
            <th scope="col">
              <span class="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {profiles.map((profile) => (
            <ProfileRow
              key={profile.id}
              api={api}
              profile={profile}
              compared={compared}
              onTag={onTag}
              onDo={(what) => (doing.value = { what, profile })}
            />
          ))}
        </tbody>
      </table>
      {doing.value?.what === "edit" && <EditDialog api={api} profile={doing.value.profile} onClose={close} onDone={done} />}
      {doing.value?.what === "delete" && <DeleteDialog api={api} profile={doing.value.profile} onClose={close} onDone={done} />}
    </>
  );
}

interface ProfileRowProps {
  readonly api: Api;
  readonly profile: ProfileInfo;
  readonly compared: Signal<readonly ProfileInfo[]>;
  readonly onTag: (tag: string) => void;
  readonly onDo: (what: Doing["what"]) => void;
}

function ProfileRow({ api, profile, compared, onTag, onDo }: ProfileRowProps) {
  const name = profile.name || profile.command || profile.id;
  const isCompared = compared.value.some((other) => other.id === profile.id);
  const compare = (checked: boolean) => {
    const others = compared.value.filter((other) => other.id !== profile.id);
    // Two at the most: a third one takes the place of the first.
    compared.value = checked ? [...others.slice(-1), profile] : others;
  };
  return (
    <tr>
      <td>
        <input type="checkbox" aria-label={`Compare ${name}`} checked={isCompared} onChange={(event) => compare(event.currentTarget.checked)} />
      </td>
      <td>
        <div class="profile-cell">
          <Thumbnail api={api} id={profile.id} />
          <div class="profile-what">
            <a href={`/p/${encodeURIComponent(profile.id)}`}>{name}</a> {profile.live && <span class="badge live">live</span>}
            {profile.command !== "" && profile.command !== name && <code title={profile.command}>{profile.command}</code>}
            <Tags tags={profile.tags} onTag={onTag} />
          </div>
        </div>
      </td>
      <td>
        <div>{dateText(nanoseconds(profile.start_unix_ns) || nanoseconds(profile.uploaded_unix_ns))}</div>
        <div class="quiet">{[duration(Number(nanoseconds(profile.duration_ns))), profile.host, profile.python && `Python ${profile.python}`].filter(Boolean).join(" · ")}</div>
      </td>
      <td>
        <div>{count(profile.samples)} samples</div>
        <div class="quiet">
          {bytes(profile.bytes)}
          {profile.rate_hz > 0 && ` · ${profile.rate_hz} Hz`}
        </div>
      </td>
      <td class="profile-tools">
        <button type="button" aria-label={`Edit name and tags of ${name}`} onClick={() => onDo("edit")}>
          Edit
        </button>
        <button type="button" aria-label={`Delete ${name}`} onClick={() => onDo("delete")}>
          Delete
        </button>
      </td>
    </tr>
  );
}

function Tags({ tags, onTag }: { tags: readonly string[]; onTag: (tag: string) => void }) {
  if (tags.length === 0) return null;
  return (
    <ul class="chips" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <button type="button" class="chip" title={`Only profiles with the tag ${tag}`} onClick={() => onTag(tag)}>
            {tag}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Numbers come as text, for they are too large for JavaScript's; 0 if they are none. */
export function nanoseconds(text: string): bigint {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}
