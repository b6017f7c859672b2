// Every view and control of a profile's page, on a real recording in a file from disk.
import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { desktop, phone, violations } from "./browser";
import { useBrowser, useFolder } from "./fixtures";
import { flametap, record } from "./flametap";

const folder = useFolder();
const browser = useBrowser();
const file = folder.file("threads.html");
const ftap = folder.file("threads.ftap");
const hostile = "<script>window.hacked = 1</script>";

beforeAll(async () => {
  await record(ftap, "--sources");
  flametap("report", ftap, "-o", file, "--mode", "wall");
});

async function open(hash = "#mode=wall", options = {}): Promise<Page> {
  const page = await browser.openFile(file, hash, options);
  await page.getByRole("tablist", { name: "Views" }).waitFor();
  return page;
}

const show = (page: Page, view: string) => page.getByRole("tab", { name: view }).click();
const graph = (page: Page) => page.getByRole("application").first();
const selectedFrame = (page: Page) => page.getByRole("region", { name: /^Selected frame/ });
const searchBox = (page: Page) => page.getByRole("searchbox", { name: /Search functions/ });
const hash = (page: Page) => new URL(page.url()).hash;

/** The shares of functions in the table, by name. */
async function topShares(page: Page): Promise<Map<string, { self: string; total: string }>> {
  const rows = page.getByRole("grid", { name: /^Functions/ }).getByRole("row");
  await rows.first().waitFor();
  const found = new Map<string, { self: string; total: string }>();
  for (const row of (await rows.all()).slice(1)) {
    const cells = await row.getByRole("gridcell").allTextContents();
    const name = cells.find((text, i) => i >= 4 && !/^[<\d.,]+ (ns|µs|ms|s|min|h|%)$|^0 ns$/.test(text.trim())) ?? "";
    found.set(name.trim(), { self: cells[1].trim(), total: cells[3].trim() });
  }
  return found;
}

/** What flametap itself says: the share of each function, of all the time. */
function sharesByReport(): Map<string, number> {
  const { strings, functions, frames, stacks, samples } = JSON.parse(
    flametap("report", ftap, "-f", "json", "-o", "-", "--mode", "wall"),
  ) as Record<"functions" | "frames" | "stacks" | "samples", Record<string, number[]>> & { strings: string[] };
  const shares = new Map<string, number>();
  const total = samples.weight_ns.reduce((sum, weight) => sum + weight, 0);
  samples.stack.forEach((stack, i) => {
    if (stack === 0) return;
    const name = strings[functions.name[frames.function[stacks.frame[stack - 1]]]];
    shares.set(name, (shares.get(name) ?? 0) + samples.weight_ns[i] / total);
  });
  return shares;
}

describe("a page from disk", () => {
  for (const [what, end] of [["its style sheet", "</style>"], ["its recording", "</script>"], ["its script", "</body>"]]) {
    test(`says that it is cut off in ${what}`, async () => {
      const page = readFileSync(file, "utf8");
      const cut = folder.file("cut.html");
      writeFileSync(cut, page.slice(0, page.indexOf(end) - 100));
      browser.expectNoise(); // of a style sheet that is cut, which the page's policy forbids
      const opened = await browser.openFile(cut);
      await opened.getByRole("heading", { name: "This page is not complete" }).waitFor();
      expect(await violations(opened)).toEqual([]);
    });
  }

  test("says nothing of the kind when it is whole", async () => {
    const page = await open();
    expect(await page.getByText("not complete").count()).toBe(0);
  });

  test("tells what was recorded, how, and what is missing", async () => {
    const page = await open();
    await expect(page.getByRole("button", { name: /Command line: .*python3.* .*target\.py/ }).count()).resolves.toBe(1);
    const facts = await page.getByRole("list", { name: "About the recording" }).getByRole("listitem").allTextContents();
    const text = facts.join(" | ");
    for (const wanted of [/Python 3\.\d+\.\d+/, /pid \d+/, /[\d,]+ samples/, /\d+(\.\d+)? s/, /500 Hz/, /wall/, /\d+ missed/, /\d+ torn/, /\d+ lost/]) {
      expect(text).toMatch(wanted);
    }
  });

  test("names of functions are text, whatever they are", async () => {
    const page = await open("#mode=wall&view=top");
    await page.getByText(hostile, { exact: true }).first().waitFor();
    for (const view of ["Icicle", "Flame", "Time", "Sandwich", "Source", "Tree"]) await show(page, view);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });

  test("the table says what the report says", async () => {
    const page = await open("#mode=wall&view=top");
    const shares = await topShares(page);
    const expected = sharesByReport();
    for (const name of ["spin", "collect", "Condition.wait"]) {
      expect(Math.abs(parseFloat(shares.get(name)!.self) / 100 - expected.get(name)!), name).toBeLessThan(0.0006);
    }
  });
});

describe("views", () => {
  test("icicle and flame graph: select, zoom in and out, by mouse", async () => {
    for (const view of ["Icicle", "Flame"]) {
      const page = await open();
      await show(page, view);
      const box = (await graph(page).boundingBox())!;
      // The second row from the root: a root of all threads, as wide as the page or nearly so.
      const y = view === "Icicle" ? box.y + 28 : box.y + box.height - 28;
      await page.mouse.click(box.x + box.width * 0.3, y);
      await selectedFrame(page).waitFor();
      await page.mouse.dblclick(box.x + box.width * 0.3, y);
      await page.getByRole("navigation", { name: "Zoomed into" }).waitFor();
      await expect.poll(() => hash(page)).toContain("zoom=");
      await page.keyboard.press("Escape");
      await page.getByRole("navigation", { name: "Zoomed into" }).waitFor({ state: "detached" });
    }
  });

  test("a tooltip says what a frame took", async () => {
    const page = await open();
    const box = (await graph(page).boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.3, box.y + 28);
    const tip = page.locator(".tooltip"); // not for screen readers, which have the selected frame
    await tip.waitFor();
    expect(await tip.textContent()).toMatch(/total.*%/is);
  });

  test("time: threads by name, states in a band; a time that is selected narrows the others", async () => {
    const page = await open("#mode=wall&view=chart");
    const chart = page.getByRole("application", { name: /in the order of time/ });
    const box = (await chart.boundingBox())!;
    await page.getByText("waits for the GIL").waitFor();
    await page.getByText("holds the GIL").waitFor();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
    await page.mouse.up();
    const chip = page.getByRole("list", { name: "What narrows the view" }).getByRole("button");
    await chip.waitFor();
    await show(page, "Top");
    await expect.poll(() => hash(page)).toContain("time=");
    await chip.click();
    await expect.poll(() => hash(page)).not.toContain("time=");
  });

  test("sandwich: callers and callees of a function", async () => {
    const page = await open("#mode=wall&view=top");
    await page.getByRole("gridcell", { name: "spin", exact: true }).dblclick();
    await page.getByText(/callers/).first().waitFor();
    await expect.poll(() => hash(page)).toContain("view=sandwich");
    expect(await page.getByText("spin").count()).toBeGreaterThan(0);
  });

  test("top: sorted by any column, follows the search", async () => {
    const page = await open("#mode=wall&view=top");
    const first = async () => (await topShares(page)).keys().next().value;
    const bySelf = await first();
    await page.getByRole("columnheader", { name: "Function" }).getByRole("button").click();
    await expect.poll(first).not.toBe(bySelf);
    const byName = await first();
    await page.getByRole("columnheader", { name: "Function" }).getByRole("button").click();
    await expect.poll(first).not.toBe(byName);
    await searchBox(page).fill("^spin$");
    await expect.poll(async () => [...(await topShares(page)).keys()]).toEqual(["spin"]);
  });

  test("source: the text of the file, and what its lines took", async () => {
    const page = await open("#mode=cpu&view=source");
    const files = page.getByRole("grid", { name: "Files" });
    await files.getByText("target.py").click();
    const lines = page.getByRole("grid", { name: /^Lines of .*target\.py$/ });
    const line = lines.getByRole("row").filter({ hasText: "total += number * number" });
    await line.waitFor();
    expect(await line.getByRole("gridcell").first().textContent()).toMatch(/%/);
  });

  test("tree: a table that unfolds, for those who cannot see the graph", async () => {
    const page = await open("#mode=wall&view=tree");
    const tree = page.getByRole("treegrid", { name: "Calls" });
    await tree.focus();
    await page.keyboard.press("Home");
    const before = await tree.getByRole("row").count();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => tree.getByRole("row").count()).toBeGreaterThan(before);
    const row = tree.getByRole("row").nth(2);
    expect(await row.getAttribute("aria-level")).toBe("2");
    expect(["true", "false"]).toContain(await row.getAttribute("aria-expanded"));
  });
});

describe("controls", () => {
  test("search: what matches, of all that there is; a bad expression is said to be one", async () => {
    const page = await open();
    await searchBox(page).fill("^spin$");
    const result = page.locator("#search-result");
    await expect.poll(() => result.textContent()).toMatch(/^[\d.]+ % · .* · [\d,]+ frames?$/);
    const share = parseFloat((await result.textContent())!);
    expect(Math.abs(share / 100 - sharesByReport().get("spin")!)).toBeLessThan(0.0006);
    await searchBox(page).press("Enter");
    await expect.poll(() => selectedFrame(page).getAttribute("aria-label")).toBe("Selected frame: spin");
    // Zoomed in or not, a share is one of everything.
    await page.getByRole("button", { name: "Zoom", exact: true }).click();
    expect(parseFloat((await result.textContent())!)).toBe(share);
    await searchBox(page).fill("(");
    await expect.poll(() => searchBox(page).getAttribute("aria-invalid")).toBe("true");
    expect(await result.textContent()).not.toBe("");
  });

  test("frames of the standard library are hidden, and their time belongs to who called them", async () => {
    const page = await open("#mode=wall&view=top");
    const before = await topShares(page);
    await page.getByRole("button", { name: /Frames/ }).click();
    await page.getByRole("checkbox", { name: "standard library" }).check();
    await page.keyboard.press("Escape");
    await expect.poll(async () => (await topShares(page)).has("dumps")).toBe(false);
    const after = await topShares(page);
    expect(before.has("dumps")).toBe(true);
    expect(after.get("encode")!.total).toBe(before.get("encode")!.total);
    const percent = (text: string) => parseFloat(text.replace("< ", ""));
    expect(percent(after.get("encode")!.self)).toBeGreaterThan(percent(before.get("encode")!.self));
    await expect.poll(() => hash(page)).toContain("hide=standard-library");
  });

  test("one thread of several", async () => {
    const page = await open("#mode=wall&view=top");
    await page.getByRole("button", { name: /4 threads/ }).click();
    await page.getByRole("button", { name: /^Only .*Waiter/ }).click();
    await page.keyboard.press("Escape");
    await expect.poll(async () => [...(await topShares(page)).keys()]).not.toContain("spin");
    expect((await topShares(page)).get("Condition.wait")!.self).toBe("100.0 %");
  });

  test("wall, CPU and GIL, afterwards", async () => {
    const page = await open("#mode=wall&view=top");
    expect((await topShares(page)).has("Condition.wait")).toBe(true);
    for (const mode of ["CPU", "GIL"]) {
      await page.getByRole("radio", { name: mode }).check({ force: true });
      await expect.poll(async () => [...(await topShares(page)).keys()]).not.toContain("Condition.wait");
      await expect.poll(async () => (await topShares(page)).has("spin")).toBe(true);
    }
  });

  test("inverted, by thread, by line, focus; undone and done again", async () => {
    const page = await open();
    await page.keyboard.press("i");
    await expect.poll(() => hash(page)).toContain("inverted=yes");
    await page.keyboard.press("t");
    await page.keyboard.press("l");
    await expect.poll(() => hash(page)).toMatch(/by-thread=yes.*by-line=yes/);
    await page.keyboard.press("u");
    await expect.poll(() => hash(page)).not.toContain("by-line");
    await page.keyboard.press("U");
    await expect.poll(() => hash(page)).toContain("by-line");
    await page.keyboard.press("u");
    await page.keyboard.press("u");
    await page.keyboard.press("u");
    await expect.poll(() => hash(page)).toBe("");
    await searchBox(page).fill("^encode$");
    await searchBox(page).press("Enter");
    await selectedFrame(page).getByRole("button", { name: "Focus" }).click();
    await page.getByRole("button", { name: /^focus: encode/ }).waitFor();
  });

  test("the stack of a frame is copied as text", async () => {
    const page = await open("#mode=wall", { permissions: ["clipboard-read", "clipboard-write"] });
    await searchBox(page).fill("^encode$");
    await searchBox(page).press("Enter");
    await selectedFrame(page).getByRole("button", { name: "Copy stack" }).click();
    await page.getByText(/copied/i).first().waitFor({ state: "attached" });
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text.trim().split("\n").at(-1)).toMatch(/^encode \(.*target\.py/);
    expect(text).toMatch(/^Thread\._bootstrap|^<module>|^thread/m);
  });

  test("what was chosen is in the address, and comes back with it", async () => {
    const page = await open();
    await show(page, "Top");
    await searchBox(page).fill("spin|encode");
    await page.getByRole("radio", { name: "CPU" }).check({ force: true });
    const address = hash(page);
    const before = [...(await topShares(page)).keys()];
    await page.context().close();
    const again = await open(address);
    expect(await searchBox(again).inputValue()).toBe("spin|encode");
    expect([...(await topShares(again)).keys()]).toEqual(before);
    await show(again, "Icicle");
    await again.goBack();
    await expect.poll(() => again.getByRole("tab", { name: "Top" }).getAttribute("aria-selected")).toBe("true");
  });
});

describe("for everybody", () => {
  test("by the keyboard alone", async () => {
    const page = await open();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    for (const [key, view] of [["2", "Flame"], ["3", "Time"], ["4", "Sandwich"], ["5", "Top"], ["6", "Source"], ["7", "Tree"], ["1", "Icicle"]]) {
      await page.keyboard.press(key);
      await expect.poll(() => page.getByRole("tab", { name: view }).getAttribute("aria-selected")).toBe("true");
    }
    await graph(page).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const first = await selectedFrame(page).getAttribute("aria-label");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => selectedFrame(page).getAttribute("aria-label")).not.toBe(first);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Zoomed into" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("spin");
    expect(await searchBox(page).inputValue()).toBe("spin");
    await page.keyboard.press("Enter");
    await expect.poll(() => selectedFrame(page).getAttribute("aria-label")).toBe("Selected frame: spin");
  });

  test("a key counts however slowly the page is drawn", async () => {
    const page = await open();
    // Preact runs what is due after a frame when a frame comes, or after a while: here no frame comes.
    await page.evaluate(() => void (window.requestAnimationFrame = () => 0));
    await graph(page).focus();
    await page.keyboard.press("Home");
    const seen: (string | null)[] = [];
    for (let depth = 1; depth <= 3; ++depth) {
      await page.keyboard.press("ArrowDown");
      seen.push(await page.waitForFunction((before) => {
        const label = document.querySelector("[aria-label^='Selected frame']")?.getAttribute("aria-label");
        return label !== before ? label : null;
      }, seen.at(-1) ?? null, { polling: 1 }).then((label) => label.jsonValue()) as string);
    }
    expect(new Set(seen).size).toBe(3);
  });

  test("on a phone: nothing is wider than the screen, every control can be reached", async () => {
    const page = await open("#mode=wall", { viewport: phone, hasTouch: true });
    for (const view of ["Icicle", "Flame", "Time", "Sandwich", "Top", "Source", "Tree"]) {
      await show(page, view);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, view).toBeLessThanOrEqual(phone.width);
    }
    await page.getByRole("button", { name: "Options" }).click();
    for (const control of [/Frames/, /threads/, "Undo"]) {
      expect(await page.getByRole("button", { name: control }).isVisible()).toBe(true);
    }
  });

  test.each(["light", "dark"] as const)("no view violates the rules of accessibility: %s", async (colorScheme) => {
    for (const viewport of [desktop, phone]) {
      const page = await open("#mode=wall", { viewport, colorScheme });
      for (const view of ["Icicle", "Flame", "Time", "Sandwich", "Top", "Source", "Tree"]) {
        await show(page, view);
        expect(await violations(page), view).toEqual([]);
      }
      await show(page, "Icicle");
      await searchBox(page).fill("spin");
      await searchBox(page).press("Enter");
      await selectedFrame(page).waitFor();
      expect(await violations(page), "a selected frame").toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /Help/ }).click();
      expect(await violations(page), "help").toEqual([]);
      if (viewport === desktop) await page.context().close();
    }
  });
});
