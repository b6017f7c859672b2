// The Python processes of the server's machine, each with a button to record it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Api, ProcessInfo } from "./api";
import { failureText } from "./failure";

export function RecordPanel({ api }: { api: Api }) {
  const processes = useSignal<readonly ProcessInfo[] | null>(null);
  const seconds = useSignal(10);
  const rate = useSignal(1000);
  const trouble = useSignal("");
  const look = () => {
    trouble.value = "";
    api.processes().then(
      (found) => (processes.value = found),
      (error: unknown) => (trouble.value = failureText(error)),
    );
  };
  useEffect(look, []);
  const record = async (pid: number) => {
    try {
      const { id } = await api.record({ pid, seconds: seconds.value, rate_hz: rate.value });
      window.location.assign(`/p/${encodeURIComponent(id)}`);
    } catch (error) {
      trouble.value = failureText(error);
    }
  };
  return (
    <section class="record" aria-labelledby="record-title">
      <div class="record-head">
        <h2 id="record-title">Record a process of this machine</h2>
        <NumberField label="seconds" value={seconds.value} max={3600} onChange={(value) => (seconds.value = value)} />
        <NumberField label="Hz" value={rate.value} max={10000} onChange={(value) => (rate.value = value)} />
        <button type="button" onClick={look}>
          Look again
        </button>
      </div>
      {trouble.value !== "" && <p class="error" role="alert">{trouble.value}</p>}
      {processes.value !== null && processes.value.length === 0 && <p class="quiet">No Python process can be recorded.</p>}
      <ul class="processes">
        {(processes.value ?? []).map((process) => (
          <li key={process.pid}>
            <button type="button" aria-label={`Record process ${process.pid}`} onClick={() => void record(process.pid)}>
              Record
            </button>
            <span class="quiet">{process.pid}</span>
            <code title={process.command}>{process.command}</code>
            <span class="quiet">{process.python}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

function NumberField({ label, value, max, onChange }: NumberFieldProps) {
  return (
    <label class="number-field">
      <input
        type="number"
        min={1}
        max={max}
        value={value}
        onChange={(event) => onChange(Math.max(1, Math.min(max, Math.round(Number(event.currentTarget.value)) || 1)))}
      />
      {label}
    </label>
  );
}
