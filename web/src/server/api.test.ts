// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Api, ApiError, splitToken } from "./api";

const asked: Array<{ url: string; token: string | null }> = [];

function answerWith(answer: (token: string | null) => Response): void {
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    const token = new Headers(init.headers).get("Authorization");
    asked.push({ url, token });
    return Promise.resolve(answer(token));
  });
}

beforeEach(() => {
  asked.length = 0;
  sessionStorage.clear();
});

afterEach(() => vi.unstubAllGlobals());

test("what the server refuses is told in its words", async () => {
  answerWith(() => new Response('{"error":"there is no such profile","remedy":"look at the list"}', { status: 404 }));
  const failure = await new Api().profile("abcdefghijklmnop").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 404, message: "there is no such profile", remedy: "look at the list" });
});

test("an answer that is no JSON is an error as well", async () => {
  answerWith(() => new Response("<html>", { status: 502 }));
  await expect(new Api().status()).rejects.toMatchObject({ message: "The server answered 502." });
});

test("the token is asked for once for all requests, and tried again", async () => {
  answerWith((token) => new Response("{}", { status: token === "Bearer secret" ? 200 : 401 }));
  const api = new Api();
  const asks: number[] = [];
  api.tokenWanted.subscribe((give) => {
    if (give === null) return;
    asks.push(asked.length);
    give(asks.length === 1 ? "wrong" : "secret");
  });
  await Promise.all([api.status(), api.profile("abcdefghijklmnop")]);
  expect(asks.length).toBe(2);
  expect(asked.filter(({ token }) => token === "Bearer secret").length).toBe(2);
  await api.status();
  expect(asks.length).toBe(2);
});

test("a request that is refused only after the token was given is tried with it", async () => {
  let refuse: (response: Response) => void = () => undefined;
  const refused = () => new Response("", { status: 401 });
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    if (new Headers(init.headers).has("Authorization")) return Promise.resolve(new Response("{}"));
    return url === "/api/status" ? new Promise<Response>((resolve) => (refuse = resolve)) : Promise.resolve(refused());
  });
  const api = new Api();
  let asks = 0;
  api.tokenWanted.subscribe((give) => {
    if (give === null) return;
    asks += 1;
    give("secret");
  });
  const late = api.status();
  await api.profile("abcdefghijklmnop");
  refuse(refused());
  await late;
  expect(asks).toBe(1);
});

test("who gives no token gets the server's answer", async () => {
  answerWith(() => new Response('{"error":"a token is needed"}', { status: 401 }));
  const api = new Api();
  api.tokenWanted.subscribe((give) => give?.(null));
  await expect(api.status()).rejects.toMatchObject({ status: 401, message: "a token is needed" });
});

test("what is searched for cannot leave its place in the address", async () => {
  answerWith(() => new Response('{"profiles":[],"next":null}'));
  await new Api().profiles("a&tag=b#c", "x y", null);
  expect(asked[0].url).toBe("/api/profiles?limit=50&search=a%26tag%3Db%23c&tag=x+y");
});

test("a token in the address is taken out of it", () => {
  expect(splitToken("#mode=gil&token=abc")).toEqual({ token: "abc", rest: "#mode=gil" });
  expect(splitToken("#token=abc")).toEqual({ token: "abc", rest: "" });
  expect(splitToken("#view=top&search=token%3D1")).toEqual({ token: null, rest: "#view=top&search=token%3D1" });
  expect(splitToken("")).toEqual({ token: null, rest: "" });
});
