// Two recordings in one page, and several processes in one recording.
import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { phone, violations } from "./browser";
import { useBrowser, useFolder } from "./fixtures";
import { flametap, Target } from "./flametap";

const folder = useFolder();
const browser = useBrowser();
const difference = folder.file("difference.html");

beforeAll(() => {
  writeFileSync(folder.file("before.txt"), "main;slow 60\nmain;fast 20\nmain;gone 20\n");
  writeFileSync(folder.file("after.txt"), "main;slow 30\nmain;fast 60\nmain;new 10\n");
  flametap("diff", folder.file("before.txt"), folder.file("after.txt"), "-o", difference);
});

async function open(path: string, hash = "", options = {}): Promise<Page> {
  const page = await browser.openFile(path, hash, options);
  await page.getByRole("banner").waitFor();
  return page;
}

test("what changed, by function, largest first", async () => {
  const page = await open(difference);
  const rows = page.getByRole("grid", { name: /Functions by how much they changed/ }).getByRole("row");
  const cells = async (row: number) => (await rows.nth(row).getByRole("gridcell").allTextContents()).map((text) => text.trim());
  await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(5);
  const found = new Map<string, string[]>();
  for (let row = 1; row <= 4; ++row) {
    const [change, before, after, name] = await cells(row);
    found.set(name, [change, before, after]);
  }
  expect([...found.keys()][0]).toBe("fast");
  const numbers = (name: string) => found.get(name)!.map((text) => parseFloat(text.replace("−", "-").replace("+", "")));
  expect(numbers("fast")).toEqual([40, 20, 60]);
  expect(numbers("slow")).toEqual([-30, 60, 30]);
  expect(numbers("gone")).toEqual([-20, 20, 0]);
  expect(numbers("new")).toEqual([10, 0, 10]);
});

test("before, after, difference: widths, search, address, rules of accessibility", async () => {
  for (const options of [{}, { colorScheme: "dark", viewport: phone }]) {
    const page = await open(difference, "", options);
    for (const side of ["Before", "After", "Difference"]) {
      await page.getByRole("radio", { name: side }).check({ force: true });
      expect(await violations(page), side).toEqual([]);
    }
    await page.getByRole("radio", { name: "After" }).check({ force: true });
    await expect.poll(() => new URL(page.url()).hash).toContain("side=after");
    await page.getByRole("searchbox").fill("^fast$");
    await expect.poll(() => page.locator("#search-result").textContent()).toMatch(/^60\.0 %/);
  }
});

test("one process of two", async () => {
  const targets = [await Target.start(), await Target.start()];
  const file = folder.file("two.html");
  try {
    flametap("record", "-p", targets[0].pid, "-p", targets[1].pid, "-d", "1", "-r", "200", "--mode", "wall", "-o", file);
  } finally {
    for (const target of targets) await target.stop();
  }
  const page = await open(file, "#mode=wall&by-thread=yes&view=tree");
  const tree = page.getByRole("treegrid", { name: "Calls" });
  for (const { pid } of targets) await tree.getByText(new RegExp(`process ${pid}`)).waitFor();
  await page.getByRole("button", { name: /8 threads/ }).click();
  await page.getByRole("button", { name: new RegExp(`^Only process ${targets[0].pid}`) }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => tree.getByText(new RegExp(`process ${targets[1].pid}`)).count()).toBe(0);
  await page.getByRole("list", { name: "What narrows the view" }).getByText("1 process").waitFor();
});
