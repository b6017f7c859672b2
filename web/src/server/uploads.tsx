// Uploads: files dropped anywhere on the page, or chosen; how far each one is, and what went wrong.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Api } from "./api";
import { failureText } from "./failure";

interface Upload {
  readonly number: number;
  readonly name: string;
  readonly share: number;
  readonly id: string; // empty: not there yet
  readonly error: string;
  readonly warnings: readonly string[]; // what the server could not read of it
}

const mostAtOnce = 50;

export class Uploads {
  readonly list = signal<readonly Upload[]>([]);
  private next = 0;

  constructor(
    private readonly api: Api,
    private readonly onDone: (id: string) => void,
  ) {}

  /** One after the other: the server has to read each of them. */
  async add(files: readonly File[]): Promise<void> {
    const jobs = files.slice(0, mostAtOnce).map((file) => ({ file, number: this.next++ }));
    this.list.value = [...this.list.value, ...jobs.map(({ file, number }) => ({ number, name: file.name, share: 0, id: "", error: "", warnings: [] }))];
    for (const { file, number } of jobs) {
      try {
        const { id, warnings = [] } = await this.api.upload(file, (share) => this.update(number, { share }));
        this.update(number, { id, share: 1, warnings });
        this.onDone(id);
      } catch (error) {
        this.update(number, { error: failureText(error) });
      }
    }
  }

  dismiss(): void {
    this.list.value = this.list.value.filter((upload) => upload.id === "" && upload.error === "");
  }

  private update(number: number, part: Partial<Upload>): void {
    this.list.value = this.list.value.map((upload) => (upload.number === number ? { ...upload, ...part } : upload));
  }
}

export function UploadButton({ uploads }: { uploads: Uploads }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="primary" onClick={() => input.current!.click()}>
        Upload
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Profiles to upload"
        onChange={(event) => {
          void uploads.add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

export function UploadList({ uploads }: { uploads: Uploads }) {
  const list = uploads.list.value;
  if (list.length === 0) return null;
  return (
    <section class="uploads" aria-label="Uploads" aria-live="polite">
      <ul>
        {list.map((upload) => (
          <li key={upload.number}>
            <span class="upload-name">{upload.name}</span>
            {upload.error !== "" ? (
              <span class="error">{upload.error}</span>
            ) : upload.id !== "" ? (
              <>
                <a href={`/p/${upload.id}`}>open</a>
                {upload.warnings.map((warning, i) => (
                  <span key={i} class="warning">
                    {warning}
                  </span>
                ))}
              </>
            ) : (
              <progress aria-label={`Uploading ${upload.name}`} value={upload.share} max={1} />
            )}
          </li>
        ))}
      </ul>
      <button type="button" class="plain" onClick={() => uploads.dismiss()}>
        Clear
      </button>
    </section>
  );
}

/** Files may be dropped anywhere on the page. */
export function DropTarget({ uploads }: { uploads: Uploads }) {
  const over = useSignal(false);
  useEffect(() => {
    const stop = new AbortController();
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      over.value = true;
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) over.value = false;
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      over.value = false;
      void uploads.add([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener("dragover", onOver, { signal: stop.signal });
    document.addEventListener("dragleave", onLeave, { signal: stop.signal });
    document.addEventListener("drop", onDrop, { signal: stop.signal });
    return () => stop.abort();
  }, [uploads]);
  return over.value ? <div class="drop-target">Drop profiles to upload them</div> : null;
}
