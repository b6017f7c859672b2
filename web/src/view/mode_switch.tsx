// Wall, CPU, ready or GIL: which samples count. What was not recorded cannot be chosen, and says why.

import type { Mode } from "../model/selection";
import { whyNotMode } from "../model/weights";
import type { Recording } from "../recording/recording";

const modes: ReadonlyArray<readonly [Mode, string, string]> = [
  ["wall", "Wall", "All threads all the time, also while they wait"],
  ["cpu", "CPU", "Threads that run on a CPU"],
  ["ready", "Ready", "Threads that could run, but wait for a CPU"],
  ["gil", "GIL", "Threads that hold the GIL"],
];

export interface ModeSwitchProps {
  readonly recordings: readonly Recording[];
  readonly mode: Mode;
  readonly onChange: (mode: Mode) => void;
}

export function ModeSwitch({ recordings, mode, onChange }: ModeSwitchProps) {
  return (
    <div class="segments" role="radiogroup" aria-label="Which time counts">
      {modes.map(([value, name, title]) => {
        const why = recordings.map((recording) => whyNotMode(recording, value)).find((reason) => reason !== null) ?? null;
        return (
          <label key={value} class={why === null ? undefined : "disabled"} title={why ?? title}>
            <input type="radio" name="mode" checked={mode === value} disabled={why !== null} onChange={() => onChange(value)} />
            <span>{name}</span>
          </label>
        );
      })}
    </div>
  );
}
