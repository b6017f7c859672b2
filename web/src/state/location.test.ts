// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recordingOf } from "../recording/test_builder";
import { LocationFollower } from "./location";
import { ProfileStore } from "./profile_store";

const newStore = () => new ProfileStore(recordingOf([["main read", { state: 1 }]]));
let follower: LocationFollower | null = null;

beforeEach(() => {
  vi.useFakeTimers();
  window.history.replaceState(null, "", "/");
});

afterEach(() => {
  follower?.stop();
  vi.useRealTimers();
});

test("the URL is taken over, as the beginning and not as a step", () => {
  window.history.replaceState(null, "", "/#view=top&search=read");
  const store = newStore();
  follower = new LocationFollower(store);
  expect(store.state.value.view).toBe("top");
  expect(store.state.value.search).toBe("read");
  expect(store.history.value.past.length).toBe(0);
});

test("a step is written at once, smaller changes when they have settled", () => {
  const store = newStore();
  follower = new LocationFollower(store);
  store.change({ view: "tree" });
  expect(window.location.hash).toBe("#view=tree");
  store.change({ search: "x" }, "same");
  expect(window.location.hash).toBe("#view=tree");
  vi.runAllTimers();
  expect(window.location.hash).toBe("#view=tree&search=x");
});

test("Back is a change like any other", () => {
  const store = newStore();
  follower = new LocationFollower(store);
  store.change({ view: "tree" });
  window.history.replaceState(null, "", "/#view=top");
  window.dispatchEvent(new Event("popstate"));
  expect(store.state.value.view).toBe("top");
  store.undo();
  expect(store.state.value.view).toBe("tree");
});
