// Light or dark: as the system says, until a person says otherwise on this page.

import { computed, effect, signal } from "@preact/signals";
import type { ThemeName } from "../view/palette";

const key = "flametap-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(system.matches);
const chosen = signal<ThemeName | null>(remembered());

export const theme = computed<ThemeName>(() => chosen.value ?? (systemDark.value ? "dark" : "light"));

export function toggleTheme(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
}

export function followTheme(): void {
  system.addEventListener("change", (event) => (systemDark.value = event.matches));
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    if (chosen.value !== null) remember(chosen.value);
  });
}

// A page from a disk may not be allowed to remember anything.
function remembered(): ThemeName | null {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

function remember(value: ThemeName): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}
