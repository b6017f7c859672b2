import { expect, it } from "vitest";
import { recordingOf } from "../recording/test_builder";
import { bytes, count, duration, share, shareDelta, value } from "./format";
import { originOfFile, originsOf } from "./origin";
import { Origin } from "./selection";

it.each([
  [0, "0 ns"],
  [12, "12 ns"],
  [1500, "1.5 µs"],
  [45_600_000, "45.6 ms"],
  [123_456_789, "123 ms"],
  [1_234_000_000, "1.23 s"],
  [12_345_000_000_000, "12,345 s"],
  [-2_000_000, "-2 ms"],
])("duration %i: %s", (ns, text) => expect(duration(ns)).toBe(text));

it("shares", () => {
  expect([share(1, 8), share(0, 8), share(1, 100_000), share(1, 0)]).toEqual(["12.5 %", "0 %", "< 0.1 %", "0 %"]);
  expect([shareDelta(0.0123), shareDelta(-0.5), shareDelta(0), shareDelta(1e-6)]).toEqual(["+1.2 %", "-50.0 %", "0 %", "< +0.1 %"]);
});

it("counts and sizes", () => {
  expect([count(0), count(999), count(1234567), count(-1000)]).toEqual(["0", "999", "1,234,567", "-1,000"]);
  expect([value(1, "samples"), value(2, "samples"), value(2000, "nanoseconds")]).toEqual(["1 sample", "2 samples", "2 µs"]);
  expect([bytes(12), bytes(1234), bytes(12_345_678)]).toEqual(["12 B", "1.23 kB", "12.3 MB"]);
});

// The cases of src/profile/origin_test.cc.
it.each([
  ["/srv/app/main.py", Origin.own],
  ["<string>", Origin.own],
  ["", Origin.own],
  ["/usr/lib/python3.11/json/decoder.py", Origin.standardLibrary],
  ["/usr/lib64/python2.7/threading.py", Origin.standardLibrary],
  ["/opt/lib/python3.13t/ast.py", Origin.standardLibrary],
  ["/usr/lib/python311.zip/ast.py", Origin.standardLibrary],
  ["<frozen importlib._bootstrap>", Origin.standardLibrary],
  ["/usr/lib/python3/dist-packages/apt/cache.py", Origin.library],
  ["/venv/lib/python3.12/site-packages/flask/app.py", Origin.library],
  ["/srv/mylib/python3.11/a.py", Origin.own],
  ["/srv/lib/pythonic/a.py", Origin.own],
  ["/srv/lib/python3.x/a.py", Origin.own],
  ["/srv/lib/python", Origin.own],
  ["/srv/lib/python/a.py", Origin.own],
])("origin of %s", (file, origin) => expect(originOfFile(file)).toBe(origin));

it("origin of a function is told by its kind first", () => {
  const recording = recordingOf([["main lib_x std_y c_z sys_w", {}]]);
  expect([...originsOf(recording)]).toEqual([Origin.own, Origin.library, Origin.standardLibrary, Origin.native, Origin.kernel]);
});
