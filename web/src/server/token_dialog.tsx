// Asks for the server's token.

import { useSignal } from "@preact/signals";
import { Dialog } from "../view/dialog";

export function TokenDialog({ onToken }: { onToken: (token: string | null) => void }) {
  const token = useSignal("");
  return (
    <Dialog title="This server asks for a token" onClose={() => onToken(null)}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.value.trim() !== "") onToken(token.value.trim());
        }}
      >
        <label>
          Token
          <input type="password" autofocus autocomplete="off" value={token.value} onInput={(event) => (token.value = event.currentTarget.value)} />
        </label>
        <p class="quiet">It is the one that flametap serve was started with. This tab remembers it until it is closed.</p>
        <div class="dialog-tools">
          <button type="submit" class="primary">
            Go on
          </button>
        </div>
      </form>
    </Dialog>
  );
}
