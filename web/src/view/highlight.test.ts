import { expect, test } from "vitest";
import { highlight } from "./highlight";

test("words by line, with their kinds", () => {
  const lines = highlight('def f():\n    return "a"  # why\n');
  expect(lines.length).toBe(3);
  expect(lines[0].map((word) => word.text).join("")).toBe("def f():");
  expect(lines[0][0]).toEqual({ text: "def", kind: "keyword" });
  expect(lines[1].find((word) => word.kind === "string")?.text).toBe('"a"');
  expect(lines[1].find((word) => word.kind === "comment")?.text).toBe("# why");
});

test("a string over several lines is a string on each", () => {
  const lines = highlight('x = """a\nb\nc"""\n');
  expect(lines[1]).toEqual([{ text: "b", kind: "triple-quoted-string" }]);
});

test("markup is text", () => {
  const words = highlight("x = '<script>alert(1)</script>'").flat();
  expect(words.map((word) => word.text).join("")).toBe("x = '<script>alert(1)</script>'");
});

test("a line without end is cut, a file without end has no colours", () => {
  expect(highlight("a".repeat(10_000))[0][0].text.length).toBe(2001);
  expect(highlight("def f\n".repeat(400_000))[7]).toEqual([{ text: "def f", kind: "" }]);
});
