import { expect, test } from "vitest";
import { LabelCutter } from "./label";

const cutter = new LabelCutter((text) => [...text].length * 7);

test("what fits stays whole", () => {
  expect(cutter.cut("parse", 35)).toBe("parse");
});

test("what does not is cut in the middle", () => {
  expect(cutter.cut("JSONEncoder.iterencode", 70)).toBe("JSONE…code");
});

test("what would be three letters or less is nothing", () => {
  expect(cutter.cut("parse", 21)).toBe("");
  expect(cutter.cut("parse", 5)).toBe("");
});

test("characters of two units are never torn apart", () => {
  expect(cutter.cut("😀😀😀😀😀😀", 35)).toBe("😀😀…😀😀");
});

test("a name of a million letters costs no more than a long one", () => {
  expect(cutter.cut("x".repeat(1_000_000), 70)).toBe("xxxxx…xxxx");
});
