// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { nanoseconds } from "./profile_list";
import { tagsOf } from "./profile_dialogs";
import { routeOf } from "./route";

test("addresses", () => {
  expect(routeOf("/")).toEqual({ page: "list" });
  expect(routeOf("/upload")).toEqual({ page: "list" });
  expect(routeOf("/p/abcdefghijklmnop")).toEqual({ page: "profile", id: "abcdefghijklmnop" });
  expect(routeOf("/diff/abcdefghijklmnop/234567abcdefghij")).toEqual({
    page: "diff",
    before: "abcdefghijklmnop",
    after: "234567abcdefghij",
  });
  for (const path of ["/p/", "/p/ABC", "/p/abcdefghijklmnop/../x", "/diff/abcdefghijklmnop", "/p/abcdefghijklmno1"]) {
    expect(routeOf(path)).toEqual({ page: "none" });
  }
});

test("numbers of the server", () => {
  expect(nanoseconds("1763246374000000000")).toBe(1763246374000000000n);
  expect(nanoseconds("-1")).toBe(0n);
  expect(nanoseconds("9".repeat(1000))).toBe(0n);
});

test("tags as people write them", () => {
  expect(tagsOf(" a, b ,,a,c d ")).toEqual(["a", "b", "c d"]);
});
