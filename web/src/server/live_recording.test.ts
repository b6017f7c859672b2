// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Recording } from "../recording/recording";
import { recordingOf } from "../recording/test_builder";
import { ftapOf } from "../recording/test_ftap";
import type { Api } from "./api";
import { LiveRecording } from "./live_recording";

const file = ftapOf(recordingOf([["main read", { state: 1, weight: 5 }]]));

/** A server whose recording has so many bytes by now. */
class FakeServer {
  size = 0;
  live = true;
  readonly asked: number[] = [];

  bytes(_id: string, from: number): Promise<Response> {
    this.asked.push(from);
    const headers = { "Flametap-Live": this.live ? "yes" : "no" };
    return Promise.resolve(new Response(new Uint8Array(file.subarray(from, this.size)), { headers }));
  }
}

let server: FakeServer;
let recording: LiveRecording;

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  recording = new LiveRecording(server as unknown as Api, "abcdefghijklmnop", "shop");
});

afterEach(() => {
  recording.stop();
  vi.useRealTimers();
});

test("waits for the first samples, and asks only for what is new", async () => {
  server.size = 30;
  const loaded = recording.load(() => {});
  await vi.advanceTimersByTimeAsync(1000);
  server.size = file.length;
  await vi.advanceTimersByTimeAsync(1000);
  expect((await loaded).samples.count).toBe(1);
  expect(server.asked).toEqual([0, 30, 30]);
});

test("follows until the end, and not while it is paused", async () => {
  server.size = file.length;
  await recording.load(() => {});
  const seen: Recording[] = [];
  recording.follow((grown) => seen.push(grown));
  recording.paused.value = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect(server.asked.length).toBe(1);
  recording.paused.value = false;
  server.live = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(recording.live.value).toBe(false);
  expect(seen.length).toBe(1);
  expect(server.asked.length).toBe(2);
});

test("a server that does not answer is asked again", async () => {
  server.size = file.length;
  await recording.load(() => {});
  recording.follow(() => {});
  const answer = server.bytes.bind(server);
  server.bytes = () => Promise.reject(new Error("The server does not answer."));
  await vi.advanceTimersByTimeAsync(1000);
  expect(recording.trouble.value).toBe("The server does not answer.");
  server.bytes = answer;
  await vi.advanceTimersByTimeAsync(1000);
  expect(recording.trouble.value).toBe("");
});
