// What the page says when there is no profile to show yet, or none at all.

import { bytes } from "../model/format";
import { Brand, ThemeButton } from "./header";

export function Reading({ done, total }: { done: number; total: number }) {
  return (
    <main class="notice">
      <p id="reading">Reading the recording{total > 0 ? ` (${bytes(total)})` : ""} …</p>
      <progress aria-labelledby="reading" value={total > 0 ? done : undefined} max={Math.max(1, total)} />
    </main>
  );
}

export interface Failure {
  readonly error: string;
  readonly remedy: string; // empty: none is known
}

export function FailurePage({ failure }: { failure: Failure }) {
  return (
    <div class="page">
      <header class="header">
        <div class="header-row">
          <Brand />
          <div class="header-tools">
            <ThemeButton />
          </div>
        </div>
      </header>
      <main class="notice">
        <h1>There is nothing to show</h1>
        <div role="alert">
          <p>{failure.error}</p>
          {failure.remedy !== "" && <p class="quiet">{failure.remedy}</p>}
        </div>
      </main>
    </div>
  );
}
