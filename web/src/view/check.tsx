// A box to tick, with its label.

import type { ComponentChildren } from "preact";

export interface CheckProps {
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly title?: string;
  readonly onChange: (checked: boolean) => void;
  readonly children: ComponentChildren;
}

export function Check({ checked, disabled = false, title, onChange, children }: CheckProps) {
  return (
    <label class={disabled ? "check disabled" : "check"} title={title}>
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}
