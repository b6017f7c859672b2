// The top of a profile's page: what was recorded, how, and what is missing from it.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Recording } from "../recording/recording";
import { theme, toggleTheme } from "../state/theme";
import { commandOf, recordingFacts } from "./recording_facts";

const damageShown = 5; // lines

interface HeaderProps {
  readonly recording: Recording;
  readonly growing: boolean; // it goes on: that its end is missing is no damage
  readonly children?: ComponentChildren;
}

export function Header({ recording, growing, children }: HeaderProps) {
  return (
    <header class="header">
      <div class="header-row">
        <Brand />
        <Command recording={recording} />
        <div class="header-tools">
          {children}
          <ThemeButton />
        </div>
      </div>
      <FactLine recording={recording} />
      <Damage recording={recording} growing={growing} />
    </header>
  );
}

export function Brand() {
  const served = document.querySelector('meta[name="flametap-server"]') !== null;
  const mark = (
    <>
      <span class="brand-mark" aria-hidden="true" />
      flametap
    </>
  );
  return served ? (
    <a class="brand" href="/" title="All profiles">
      {mark}
    </a>
  ) : (
    <span class="brand">{mark}</span>
  );
}

export function ThemeButton() {
  const other = theme.value === "dark" ? "light" : "dark";
  return (
    <button type="button" class="plain" title={`Use ${other} colours`} aria-label={`Use ${other} colours`} onClick={toggleTheme}>
      {theme.value === "dark" ? "☀" : "☾"}
    </button>
  );
}

function Command({ recording }: { recording: Recording }) {
  const [whole, setWhole] = useState(false);
  const command = commandOf(recording);
  return (
    <h1 class={whole ? "command whole" : "command"}>
      <button
        type="button"
        class="plain"
        title={command}
        aria-expanded={whole}
        aria-label={`Command line: ${command}`}
        onClick={() => setWhole(!whole)}
      >
        {command}
      </button>
    </h1>
  );
}

export function FactLine({ recording }: { recording: Recording }) {
  const facts = useMemo(() => recordingFacts(recording), [recording]);
  return (
    <ul class="fact-line" aria-label="About the recording">
      {facts.map((fact) => (
        <li key={fact.title} class={fact.loud ? "loud" : undefined} title={fact.title}>
          {fact.text}
        </li>
      ))}
    </ul>
  );
}

export function Damage({ recording, growing = false }: { recording: Recording; growing?: boolean }) {
  const { damage, complete, ended } = recording;
  const unfinished = !growing && !complete && ended === "" && damage.length === 0;
  if (damage.length === 0 && !unfinished) return null;
  return (
    <div class="damage" role="status">
      {unfinished && <p>The end of the recording is not there: it goes on, or it was cut off.</p>}
      {damage.slice(0, damageShown).map((line, i) => (
        <p key={i}>{line}</p>
      ))}
      {damage.length > damageShown && <p>… and {damage.length - damageShown} more</p>}
    </div>
  );
}
