import { expect, test } from "vitest";
import { splitToken } from "./api";

test("a token in the address is taken out of it", () => {
  expect(splitToken("#mode=gil&token=abc")).toEqual({ token: "abc", rest: "#mode=gil" });
  expect(splitToken("#token=abc")).toEqual({ token: "abc", rest: "" });
  expect(splitToken("#view=top&search=token%3D1")).toEqual({ token: null, rest: "#view=top&search=token%3D1" });
  expect(splitToken("")).toEqual({ token: null, rest: "" });
});
