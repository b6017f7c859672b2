// A browser for tests: Debian's Chromium, headless. A page that asks anybody but the server of the test for anything, or that
// throws, fails its test.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const flags = [
  "--no-sandbox", // the tests run as root
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** For what a page is waited for, in milliseconds: what runs into it hangs. */
const patience = 180_000;

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: flags, timeout: patience });
}

/** A page and what went wrong in it. */
export interface Watched {
  readonly page: Page;
  /** Nothing was thrown, and nobody else was asked for anything. */
  assertQuiet: () => void;
}

/** `home`: the only place that requests may go to. */
async function watched(browser: Browser, home: string, options: BrowserContextOptions): Promise<Watched> {
  const context = await browser.newContext({ viewport: desktop, ...options });
  const troubles: string[] = [];
  await context.route("**", (route) => {
    const url = route.request().url();
    if (url.startsWith(home) || url.startsWith("data:") || url.startsWith("blob:")) return route.continue();
    troubles.push(`a request for ${url}`);
    return route.abort();
  });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.on("pageerror", (error) => troubles.push(`${error}\n${error.stack}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(`console: ${message.text()}`);
  });
  const assertQuiet = () => {
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
  };
  return { page, assertQuiet };
}

/** A file from disk, with the network forbidden. */
export async function openFile(browser: Browser, path: string, hash = "", options: BrowserContextOptions = {}): Promise<Watched> {
  const url = pathToFileURL(path).href;
  const opened = await watched(browser, url, { offline: true, ...options });
  await opened.page.goto(url + hash);
  return opened;
}

export async function openServer(browser: Browser, origin: string, path = "/", options: BrowserContextOptions = {}): Promise<Watched> {
  const opened = await watched(browser, origin, options);
  await opened.page.goto(origin + path);
  return opened;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What a checker of accessibility finds wrong in the page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource); // not a script element: the page's own policy forbids those
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } };
    const found = await axe.run();
    return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`));
  });
}
