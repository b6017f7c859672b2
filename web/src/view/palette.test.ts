import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Origin } from "../model/selection";
import { contrast, diffFill, diffSteps, diffThemes, fillOf, kinds, themes, tints, type Kind } from "./palette";

describe.each(["light", "dark"] as const)("the %s theme", (name) => {
  const theme = themes[name];

  test("every label can be read", () => {
    for (const fill of [...theme.fills, ...diffThemes[name].fills]) expect(contrast(fill, theme.ink)).toBeGreaterThan(4.5);
    expect(contrast(theme.faded, theme.fadedInk)).toBeGreaterThan(4.5);
    expect(contrast(theme.background, theme.text)).toBeGreaterThan(4.5);
    expect(contrast(theme.background, theme.quiet)).toBeGreaterThan(4.5);
  });

  test("what is loud stands out from the background", () => {
    for (const colour of [theme.gil, theme.gc, theme.outline]) expect(contrast(colour, theme.background)).toBeGreaterThan(3);
  });

  test("there is a fill for every kind", () => {
    expect(new Set(theme.fills).size).toBe(kinds.length * tints);
  });
});

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

test("the same function has the same fill, within its kind", () => {
  expect(fillOf(Origin.library, "get")).toBe(fillOf(Origin.library, "get"));
  expect(Math.floor(fillOf(Origin.kernel, "read") / tints)).toBe(kinds.indexOf("kernel"));
});

test("the server's small pictures have the same colours", () => {
  const drawn = readFileSync(new URL("../../../src/server/thumbnail.cc", import.meta.url), "utf8").match(/#[0-9a-f]{6}/g);
  const middle = (kind: Kind) => themes.light.fills[kinds.indexOf(kind) * tints + (tints - 1) / 2];
  expect(drawn).toEqual((["own", "library", "standardLibrary", "native", "kernel", "marker"] as const).map(middle));
});

test("a difference shows its direction however small it is", () => {
  expect(diffFill(0)).toBe(diffSteps);
  expect(diffFill(1e-9)).toBe(diffSteps + 1);
  expect(diffFill(-1e-9)).toBe(diffSteps - 1);
  expect(diffFill(1)).toBe(2 * diffSteps);
});
