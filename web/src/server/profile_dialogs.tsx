// Changing and deleting a profile of the server.

import { useSignal } from "@preact/signals";
import { Dialog } from "../view/dialog";
import type { Api, ProfileInfo } from "./api";
import { failureText } from "./failure";

interface ProfileDialogProps {
  readonly api: Api;
  readonly profile: ProfileInfo;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function EditDialog({ api, profile, onClose, onDone }: ProfileDialogProps) {
  const name = useSignal(profile.name);
  const tags = useSignal(profile.tags.join(", "));
  const trouble = useSignal("");
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await api.change(profile.id, { name: name.value.trim(), tags: tagsOf(tags.value) });
      onDone();
    } catch (error) {
      trouble.value = failureText(error);
    }
  };
  return (
    <Dialog title="Name and tags" onClose={onClose}>
      <form class="form" onSubmit={(event) => void save(event)}>
        <label>
          Name
          <input type="text" autofocus value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <label>
          Tags, with commas between them
          <input type="text" value={tags.value} onInput={(event) => (tags.value = event.currentTarget.value)} />
        </label>
        {trouble.value !== "" && <p class="error" role="alert">{trouble.value}</p>}
        <div class="dialog-tools">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function DeleteDialog({ api, profile, onClose, onDone }: ProfileDialogProps) {
  const trouble = useSignal("");
  const remove = async () => {
    try {
      await api.remove(profile.id);
      onDone();
    } catch (error) {
      trouble.value = failureText(error);
    }
  };
  return (
    <Dialog title="Delete this profile?" onClose={onClose}>
      <p>
        <strong>{profile.name || profile.command}</strong> is deleted from the server. This cannot be undone.
      </p>
      {trouble.value !== "" && <p class="error" role="alert">{trouble.value}</p>}
      <div class="dialog-tools">
        <button type="button" autofocus onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="primary" onClick={() => void remove()}>
          Delete
        </button>
      </div>
    </Dialog>
  );
}

export function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""))];
}
