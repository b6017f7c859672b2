// The server's pages: uploads, the list, comparing, live profiles, a token.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { phone, violations } from "./browser";
import { useBrowser, useFolder } from "./fixtures";
import { flametap, Listening, record, Target } from "./flametap";

const folder = useFolder();
const browser = useBrowser();
const ftap = folder.file("threads.ftap");
const folded = folder.file("old profile.txt");
let server: Listening;
let data = 0;

beforeAll(async () => {
  await record(ftap);
  flametap("report", ftap, "-f", "folded", "-o", folded);
});
const startServer = async (...options: string[]) => {
  server = await Listening.start("serve", "--listen", "127.0.0.1:0", "--data", folder.file(`data-${data++}`), ...options);
};
beforeEach(async () => {
  await startServer();
  return () => server.stop(); // once the pages are closed, which would miss it
});

const open = (path = "/", options = {}, origin = server.origin) => browser.openServer(origin, path, options);

/** As anybody would from a shell; gives what the server answers. */
function curl(...words: string[]): string {
  const done = spawnSync("curl", ["--silent", "--show-error", "--fail-with-body", ...words], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`curl ${words.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}
const upload = (path: string) => curl("-F", `file=@${path}`, `${server.origin}/upload`).trim();
const graph = (page: Page) => page.getByRole("application").first();

/** Searches a function once the recording has it: its first samples may all be of other functions. */
async function searchOnceSeen(page: Page, name: string): Promise<void> {
  await page.getByRole("searchbox", { name: /Search functions/ }).fill(name);
  await page.getByRole("status").filter({ hasText: /\d frames?$/ }).waitFor();
}

/** Drops a file anywhere on the page. */
async function drop(page: Page, name: string, path: string): Promise<void> {
  const bytes = readFileSync(path).toString("base64");
  const transfer = await page.evaluateHandle(
    ([base64, fileName]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], fileName));
      return data;
    },
    [bytes, name],
  );
  for (const event of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", event, { dataTransfer: transfer });
}

describe("uploads", () => {
  test("by curl: the answer is the address of the page, which shows the profile", async () => {
    const url = upload(ftap);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/p\/[a-z2-7]{16}$/);
    const page = await open(new URL(url).pathname);
    await graph(page).waitFor();
    await page.getByRole("button", { name: /Command line: .*target\.py/ }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("by drag and drop, in any format; what is none is said to be none", async () => {
    const page = await open();
    await page.getByText("There is no profile yet").waitFor();
    await drop(page, "old profile.txt", folded);
    await page.getByRole("link", { name: "old profile" }).first().waitFor();
    const damaged = folder.file("damaged");
    writeFileSync(damaged, "main;work 3\nmain;work\n");
    await drop(page, "damaged", damaged);
    await page.getByRole("region", { name: "Uploads" }).getByText(/^line 2 was not understood/).waitFor();
    const nonsense = folder.file("nonsense");
    writeFileSync(nonsense, Buffer.from([0, 1, 2, 3]));
    await drop(page, "nonsense", nonsense);
    await page.getByRole("region", { name: "Uploads" }).getByText(/^this profile cannot be read/).waitFor();
    browser.expectNoise();
  });
});

describe("the list", () => {
  test("search, tags, names, delete; nothing violates the rules of accessibility", async () => {
    const [first] = [upload(ftap), upload(folded)];
    const page = await open();
    const rows = page.getByRole("row");
    await expect.poll(() => rows.count()).toBe(3);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: /name and tags of threads/ }).click();
    await page.getByRole("textbox", { name: /^Tags/ }).fill("nightly, <b>bold</b>");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "nightly" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByText("<b>bold</b>", { exact: true }).waitFor();
    await page.getByRole("button", { name: "nightly" }).first().click();
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole("searchbox", { name: "Search profiles" }).fill("old profile");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("searchbox", { name: "Search profiles" }).fill("");
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole("button", { name: /^Delete threads/ }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(() => curl(first.replace("/p/", "/api/profiles/"))).toThrow();
  });

  test("two are compared", async () => {
    upload(ftap);
    upload(folded);
    const page = await open();
    const boxes = page.getByRole("checkbox");
    await expect.poll(() => boxes.count()).toBe(2);
    for (const box of await boxes.all()) await box.check();
    await page.getByRole("link", { name: /^Compare/ }).click();
    await page.waitForURL(/\/diff\//);
    await graph(page).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("on a phone and in the dark", async () => {
    upload(ftap);
    const page = await open("/", { viewport: phone, colorScheme: "dark" });
    await page.getByRole("link", { name: /threads/ }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
    expect(await violations(page)).toEqual([]);
  });

  test("every format is given out", async () => {
    const url = upload(ftap);
    const page = await open(new URL(url).pathname);
    await page.getByRole("button", { name: "Download" }).click();
    for (const [name, ending] of [["folded", ".folded"], ["html", ".html"], ["ftap", ".ftap"], ["pprof", ".pb.gz"]]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: new RegExp(`^${name}`) }).click()]);
      expect(download.suggestedFilename().endsWith(ending)).toBe(true);
      const path = folder.file(download.suggestedFilename());
      await download.saveAs(path);
      expect(flametap("report", path)).toContain("spin");
    }
  });
});

describe("live", () => {
  test("a recording is watched while it grows: what was zoomed, searched and chosen stays", async () => {
    await server.stop();
    await startServer("--allow-record");
    const target = await Target.start();
    try {
      const page = await open();
      await page.getByRole("spinbutton", { name: "seconds" }).fill("3600");
      await page.getByRole("button", { name: `Record process ${target.pid}` }).click();
      await page.waitForURL(/\/p\//);
      await graph(page).waitFor();
      const samples = async () => {
        const facts = await page.getByRole("list", { name: "About the recording" }).getByRole("listitem").allTextContents();
        return Number(/([\d,]+) samples/.exec(facts.join(" "))?.[1].replaceAll(",", "") ?? 0);
      };
      await searchOnceSeen(page, "spin");
      await page.getByRole("searchbox", { name: /Search functions/ }).press("Enter");
      const selected = page.getByRole("region", { name: "Selected frame: spin" });
      await selected.waitFor();
      await selected.getByRole("button", { name: "Zoom" }).click();
      const before = await samples();
      await expect.poll(samples).toBeGreaterThan(before);
      expect(await page.getByRole("searchbox", { name: /Search functions/ }).inputValue()).toBe("spin");
      await selected.waitFor();
      await page.getByRole("navigation", { name: "Zoomed into" }).getByText("spin").waitFor();
      // Its end is noticed, and it stays where it is.
      await target.stop();
      await page.getByRole("button", { name: "Pause" }).waitFor({ state: "detached" });
      await page.reload();
      await graph(page).waitFor();
    } finally {
      await target.stop();
    }
  });

  test("`record --serve` shows what it records, and ends when the recording does", async () => {
    const target = await Target.start();
    const file = folder.file("served.html");
    const recording = await Listening.start("record", "-p", target.pid, "-d", "3600", "--serve", "-o", file);
    try {
      const page = await open(recording.path, {}, recording.origin);
      await graph(page).waitFor();
      await page.getByText("live", { exact: true }).waitFor();
      await searchOnceSeen(page, "spin");
      recording.interrupt();
      await page.getByRole("button", { name: "Pause" }).waitFor({ state: "detached" });
      expect(await recording.exitCode()).toBe(0);
      expect(flametap("report", file)).toContain("spin");
    } finally {
      await recording.stop();
      await target.stop();
    }
  });
});

describe("a token", () => {
  test("is asked for once, and wrong ones do not do", async () => {
    await server.stop();
    const token = "a-token-of-many-letters";
    const file = folder.file("token");
    writeFileSync(file, token, { mode: 0o600 });
    await startServer("--token-file", file);
    expect(() => upload(ftap)).toThrow();
    curl("-H", `Authorization: Bearer ${token}`, "-F", `file=@${ftap}`, `${server.origin}/upload`);
    const page = await open();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").or(dialog.locator("input")).first().fill("wrong");
    await page.keyboard.press("Enter");
    await dialog.locator("input").first().fill(token);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /threads/ }).waitFor();
    browser.expectNoise();
  });
});
