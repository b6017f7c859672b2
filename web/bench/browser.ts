// How long the page takes in a browser without a GPU, beside speedscope on the same recording: a made-up one with a million
// different stacks.
//
//     npx vite-node bench/browser.ts [NODES]       build/flametap must be there
//
// Open: from the address to the first picture. Zoom and search: from the input to the picture that follows it, medians. speedscope
// is fetched by npm into a folder for temporary files; if that fails, the report says so. It has no search over the graph.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { launch } from "../browser/browser";
import { flametap, root } from "../browser/flametap";
import { ftapOf } from "../src/recording/test_ftap";
import { makeRecording } from "./make_recording";

const nodes = Number(process.argv[2] ?? 1_000_000);
const turns = 9;
const folder = mkdtempSync(join(tmpdir(), "flametap-bench-"));
const file = (name: string) => join(folder, name);

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];
const ms = (value: number | null) => (value === null ? "-" : `${value.toFixed(0)} ms`);

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly open: number | null;
  readonly zoom: number | null;
  readonly search: number | null;
}

/** From an input to the end of the frame that follows it, as the page's own clock tells. */
function paintedAfter(page: Page, act: () => Promise<void>): Promise<number> {
  return page
    .evaluate(() => {
      const started = (event: Event) => (window as unknown as { began: number }).began ||= event.timeStamp;
      (window as unknown as { began: number }).began = 0;
      for (const name of ["keydown", "input", "dblclick"]) window.addEventListener(name, started, { capture: true, once: true });
    })
    .then(act)
    .then(() =>
      page.evaluate(
        () =>
          new Promise<number>((resolve) =>
            requestAnimationFrame(() =>
              requestAnimationFrame(() => resolve(performance.now() - (window as unknown as { began: number }).began)),
            ),
          ),
      ),
    );
}

async function measureFlametap(path: string): Promise<Row> {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const began = performance.now();
  await page.goto(pathToFileURL(path).href, { waitUntil: "commit" });
  await page.getByRole("application").first().waitFor({ timeout: 120_000 });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const open = performance.now() - began;
  await page.getByRole("application").first().focus();
  const zooms: number[] = [];
  const searches: number[] = [];
  for (let i = 0; i < turns; ++i) {
    await page.keyboard.press("ArrowDown");
    zooms.push(await paintedAfter(page, () => page.keyboard.press("Enter")));
  }
  await page.keyboard.press("/");
  for (let i = 0; i < turns; ++i) searches.push(await paintedAfter(page, () => page.keyboard.type(String(i % 10))));
  await browser.close();
  return { name: "flametap", bytes: statSync(path).size, open, zoom: median(zooms), search: median(searches) };
}

async function measureSpeedscope(path: string): Promise<Row | string> {
  const installed = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, "speedscope@1.25.0"], { encoding: "utf8" });
  if (installed.status !== 0) return `speedscope cannot be had: ${installed.stderr.trim().split("\n").at(-1)}`;
  const script = file("speedscope.js");
  writeFileSync(script, `speedscope.loadFileFromBase64("profile.json", "${readFileSync(path).toString("base64")}")`);
  const index = pathToFileURL(file("node_modules/speedscope/dist/release/index.html")).href;
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const began = performance.now();
    await page.goto(`${index}#localProfilePath=${script}`, { waitUntil: "commit" });
    await page.getByText("Left Heavy").first().waitFor({ timeout: 300_000 });
    await page.keyboard.press("2"); // sorted and merged, as a flame graph is
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const open = performance.now() - began;
    const zooms: number[] = [];
    for (let i = 0; i < turns; ++i) {
      zooms.push(await paintedAfter(page, () => page.mouse.dblclick(400, 170 + 20 * i)));
      await page.keyboard.press("0");
    }
    return { name: "speedscope 1.25.0", bytes: statSync(path).size, open, zoom: median(zooms), search: null };
  } catch (error) {
    return `speedscope did not get through: ${String(error).split("\n")[0]}`;
  } finally {
    await browser.close();
  }
}

const bundle = ["viewer.js", "viewer.css"].map((name) => gzipSync(readFileSync(join(root, "build/src/viewer/bundle", name))).length);
console.log(`the viewer: ${((bundle[0] + bundle[1]) / 1000).toFixed(1)} KB with gzip`);
writeFileSync(file("made.ftap"), ftapOf(makeRecording({ nodes })));
flametap("report", file("made.ftap"), "-o", file("page.html"));
flametap("report", file("made.ftap"), "--mode", "wall", "-f", "speedscope", "-o", file("profile.json"));
const rows = [await measureFlametap(file("page.html")), await measureSpeedscope(file("profile.json"))];
console.log("| viewer | file | open | zoom | search |\n|---|---|---|---|---|");
for (const row of rows) {
  if (typeof row === "string") console.log(`| ${row} |`);
  else console.log(`| ${row.name} | ${(row.bytes / 1e6).toFixed(1)} MB | ${ms(row.open)} | ${ms(row.zoom)} | ${ms(row.search)} |`);
}
rmSync(folder, { recursive: true });
