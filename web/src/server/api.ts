// Api: the server's own interface, from the page. Only this file knows its addresses. After a 401 it asks for the token and
// tries again; the token is kept for this tab alone.

import { signal } from "@preact/signals";

export interface ProfileInfo {
  readonly id: string;
  readonly name: string;
  readonly command: string;
  readonly host: string;
  readonly python: string;
  readonly tags: readonly string[];
  readonly start_unix_ns: string;
  readonly duration_ns: string;
  readonly uploaded_unix_ns: string;
  readonly bytes: number;
  readonly samples: number;
  readonly mode: string;
  readonly rate_hz: number;
  readonly live: boolean;
}

export interface ServerStatus {
  readonly version: string;
  readonly allow_record: boolean;
  readonly auth: boolean;
}

export interface ProcessInfo {
  readonly pid: number;
  readonly command: string;
  readonly python: string;
}

export interface RecordOrder {
  readonly pid: number;
  readonly seconds: number;
  readonly rate_hz: number;
}

export const formats = ["html", "svg", "ftap", "json", "folded", "speedscope", "pprof", "chrome", "cpuprofile"] as const;
export type Format = (typeof formats)[number];

/** What the server said no to, in its words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

const tokenKey = "flametap-token";

export class Api {
  /** Set while the token is asked for: whoever asks calls it with the token, or with null to give up. */
  readonly tokenWanted = signal<((token: string | null) => void) | null>(null);
  private tokenAnswer: Promise<string | null> | null = null;

  constructor() {
    takeTokenFromAddress();
  }

  status(): Promise<ServerStatus> {
    return this.json("/api/status");
  }

  profiles(search: string, tag: string, before: string | null): Promise<{ profiles: ProfileInfo[]; next: string | null }> {
    const query = new URLSearchParams({ limit: "50" });
    if (search !== "") query.set("search", search);
    if (tag !== "") query.set("tag", tag);
    if (before !== null) query.set("before", before);
    return this.json(`/api/profiles?${query}`);
  }

  profile(id: string): Promise<ProfileInfo> {
    return this.json(profilePath(id));
  }

  change(id: string, change: { name?: string; tags?: readonly string[] }): Promise<ProfileInfo> {
    return this.json(profilePath(id), { method: "PATCH", body: JSON.stringify(change), headers: jsonType });
  }

  async remove(id: string): Promise<void> {
    await this.fetch(profilePath(id), { method: "DELETE" });
  }

  /** The bytes of a recording from one on. */
  bytes(id: string, from: number, stop?: AbortSignal): Promise<Response> {
    return this.fetch(`${profilePath(id)}/ftap?from=${from}`, { signal: stop });
  }

  async thumbnail(id: string): Promise<Blob> {
    return (await this.fetch(`${profilePath(id)}/thumbnail.svg`)).blob();
  }

  async download(id: string, format: Format): Promise<Blob> {
    return (await this.fetch(`${profilePath(id)}/${format}`)).blob();
  }

  async processes(): Promise<readonly ProcessInfo[]> {
    return (await this.json<{ processes: ProcessInfo[] }>("/api/processes")).processes;
  }

  record(order: RecordOrder): Promise<{ id: string }> {
    return this.json("/api/record", { method: "POST", body: JSON.stringify(order), headers: jsonType });
  }

  /** By XMLHttpRequest: fetch does not tell how much was sent. */
  async upload(file: File, progress: (share: number) => void): Promise<{ id: string; warnings?: readonly string[] }> {
    const query = new URLSearchParams({ name: file.name });
    for (;;) {
      const token = rememberedToken();
      const answer = await send(`/api/profiles?${query}`, file, authorization(token), progress);
      if (answer.status < 300) return JSON.parse(answer.text) as { id: string; warnings?: readonly string[] };
      if (answer.status !== 401 || !(await this.hasOtherToken(token))) throw errorOf(answer.status, answer.text);
    }
  }

  private async json<T>(path: string, init?: RequestInit): Promise<T> {
    return (await (await this.fetch(path, init)).json()) as T;
  }

  private async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      const token = rememberedToken();
      const response = await fetch(path, { ...init, headers: { ...init.headers, ...authorization(token) } }).catch((error: unknown) => {
        if (init.signal?.aborted) throw error;
        throw new ApiError(0, "The server does not answer.", "Is flametap serve still running?");
      });
      if (response.ok) return response;
      if (response.status !== 401 || !(await this.hasOtherToken(token))) throw errorOf(response.status, await response.text());
    }
  }

  // Several requests may fail at once: the question is asked once for all of them, those that are told late included.
  private async hasOtherToken(refused: string | null): Promise<boolean> {
    if (this.tokenAnswer === null && rememberedToken() !== refused) return true;
    this.tokenAnswer ??= new Promise<string | null>((resolve) => (this.tokenWanted.value = resolve)).then((token) => {
      if (token !== null) rememberToken(token);
      this.tokenWanted.value = null;
      this.tokenAnswer = null;
      return token;
    });
    return (await this.tokenAnswer) !== null;
  }
}

const jsonType = { "Content-Type": "application/json" };
const profilePath = (id: string) => `/api/profiles/${encodeURIComponent(id)}`;

function errorOf(status: number, text: string): ApiError {
  try {
    const said = JSON.parse(text) as { error?: unknown; remedy?: unknown };
    if (typeof said.error === "string") return new ApiError(status, said.error, typeof said.remedy === "string" ? said.remedy : "");
  } catch {
    return new ApiError(status, `The server answered ${status}.`, "");
  }
  return new ApiError(status, `The server answered ${status}.`, "");
}

function send(url: string, body: Blob, headers: Record<string, string>, progress: (share: number) => void) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => reject(new ApiError(0, "The upload was broken off.", "The server may limit how large a profile is."));
    request.send(body);
  });
}

/** An address may bring the token with it, behind the #; it is taken out, so that it is not sent on with the address. */
export function splitToken(hash: string): { readonly token: string | null; readonly rest: string } {
  const words = hash.replace(/^#/, "").split("&").filter((word) => word !== "");
  const rest = words.filter((word) => !word.startsWith("token="));
  const token = words.find((word) => word.startsWith("token="))?.slice("token=".length);
  return { token: token ?? null, rest: rest.length === 0 ? "" : `#${rest.join("&")}` };
}

function takeTokenFromAddress(): void {
  const { token, rest } = splitToken(window.location.hash);
  if (token === null) return;
  rememberToken(token);
  window.history.replaceState(null, "", window.location.pathname + window.location.search + rest);
}

function authorization(token: string | null): Record<string, string> {
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

function rememberedToken(): string | null {
  try {
    return sessionStorage.getItem(tokenKey);
  } catch {
    return null;
  }
}

function rememberToken(token: string): void {
  try {
    sessionStorage.setItem(tokenKey, token);
  } catch {
    return;
  }
}
