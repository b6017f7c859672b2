// A button that opens a small panel. It closes by Escape, by a click elsewhere, or when the focus leaves it.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface MenuProps {
  readonly label: ComponentChildren;
  readonly title: string;
  readonly active?: boolean; // something was chosen in it
  readonly children: ComponentChildren;
}

export function Menu({ label, title, active = false, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    const elsewhere = (event: Event) => {
      if (!box.current!.contains(event.target as Node)) setOpen(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      setOpen(false);
      button.current!.focus();
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    document.addEventListener("keydown", escape, true);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("focusin", elsewhere);
      document.removeEventListener("keydown", escape, true);
    };
  }, [open]);
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        ref={button}
        class={active ? "active" : undefined}
        title={title}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {label} <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div class="menu-panel" id={id} role="group" aria-label={title}>
          {children}
        </div>
      )}
    </div>
  );
}
