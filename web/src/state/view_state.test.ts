import { describe, expect, test } from "vitest";
import { Origin, everything } from "../model/selection";
import { formatHash, formatPath, initial, parseHash, parsePath, type ViewState } from "./view_state";

const busy: ViewState = {
  view: "sandwich",
  selection: {
    mode: "gil",
    threads: [0, 3],
    processes: [1],
    time: [1_000_000, 2_500_000],
    hidden: [Origin.library, Origin.kernel],
    byThread: true,
    byLine: true,
    inverted: true,
    focus: 7,
  },
  search: "a&b=c #%+ (x|y)",
  zoom: [{ label: "worker/1 50%" }, { function: 3, line: 0 }, { function: 4, line: 12 }],
  range: [0.25, 0.75],
  selected: [],
  function: 12,
  file: 5,
  line: 99,
  sort: "name",
  ascending: true,
  chart: [5, 900],
  side: "after",
  absolute: true,
};

describe("the hash of the URL", () => {
  test("is empty when nothing was chosen", () => {
    expect(formatHash(initial)).toBe("");
    expect(parseHash("")).toEqual(initial);
  });

  test("gives everything back", () => {
    expect(parseHash(formatHash(busy))).toEqual(busy);
  });

  test("can be read", () => {
    const state: ViewState = { ...initial, view: "top", search: "json dumps", selection: { ...everything, mode: "cpu" } };
    expect(formatHash(state)).toBe("#view=top&mode=cpu&search=json+dumps");
  });

  test("counts from where the page began", () => {
    const start: ViewState = { ...initial, view: "tree" };
    expect(formatHash(start, start)).toBe("");
    expect(parseHash("", start).view).toBe("tree");
    expect(parseHash(formatHash(initial, start), start).view).toBe(initial.view);
  });

  test.each(["#view=evil&mode=7&time=9,1&range=0,7&threads=a,b&focus=-1&zoom=x", "#%", "#search=%E0%A4%A", "#&&&=&=="])(
    "what makes no sense is left out: %s",
    (hash) => {
      expect(parseHash(hash)).toEqual(initial);
    },
  );

  test("no thread at all is not the same as all threads", () => {
    const none: ViewState = { ...initial, selection: { ...everything, threads: [] } };
    expect(parseHash(formatHash(none)).selection.threads).toEqual([]);
  });

  test("all but a few of many threads are few words", () => {
    const threads = Array.from({ length: 5000 }, (_, i) => i).filter((i) => i !== 7);
    const hash = formatHash({ ...initial, selection: { ...everything, threads } });
    expect(hash).toBe("#threads=0-6,8-4999");
    expect(parseHash(hash).selection.threads).toEqual(threads);
  });

  test("is bounded", () => {
    expect(parseHash(`#search=${"a".repeat(100_000)}`).search.length).toBe(2000);
    expect(parseHash(`#zoom=${"1/".repeat(100_000)}1`).zoom.length).toBeLessThanOrEqual(4096);
    expect(parseHash("#threads=0-999999999").selection.threads?.length).toBe(100_000);
  });
});

describe("paths", () => {
  test("one step each", () => {
    expect(formatPath(busy.zoom)).toBe("~worker%2F1 50%25/3/4:12");
    expect(parsePath("~worker%2F1 50%25/3/4:12")).toEqual(busy.zoom);
  });
});
