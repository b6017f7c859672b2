// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { recordingOf } from "../recording/test_builder";
import { ProfileStore } from "../state/profile_store";
import { handleKey, keysOf } from "./keys";
import { profileTabs } from "./tabs";

const newStore = () => new ProfileStore(recordingOf([["main read", { state: 1 }]]));

function press(store: ProfileStore, key: string, init: KeyboardEventInit = {}, tabs = profileTabs): boolean {
  return handleKey(new KeyboardEvent("keydown", { key, ...init }), { store, tabs, showHelp: vi.fn() });
}

test("numbers are views", () => {
  const store = newStore();
  expect(press(store, "5")).toBe(true);
  expect(store.state.value.view).toBe("top");
  expect(press(store, "9")).toBe(false);
});

test("undo by both keys", () => {
  const store = newStore();
  press(store, "i");
  expect(store.selection.value.inverted).toBe(true);
  press(store, "z", { ctrlKey: true });
  expect(store.selection.value.inverted).toBe(false);
  press(store, "U");
  expect(store.selection.value.inverted).toBe(true);
  press(store, "u");
  expect(store.selection.value.inverted).toBe(false);
});

test("letters that are typed are letters", () => {
  const store = newStore();
  const field = document.createElement("input");
  const event = new KeyboardEvent("keydown", { key: "i" });
  Object.defineProperty(event, "target", { value: field });
  expect(handleKey(event, { store, tabs: profileTabs, showHelp: vi.fn() })).toBe(false);
  expect(store.selection.value.inverted).toBe(false);
});

test("a difference has no keys that would do nothing", () => {
  const store = newStore();
  expect(press(store, "t", {}, [])).toBe(false);
  expect(press(store, "i", {}, [])).toBe(true);
  expect(keysOf([]).some((key) => key.keys.includes("l"))).toBe(false);
});

test("no key has two meanings", () => {
  const keys = keysOf(profileTabs).flatMap((key) => key.keys);
  expect(new Set(keys).size).toBe(keys.length);
});
