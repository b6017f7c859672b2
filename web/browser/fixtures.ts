// What the tests of a file share: called at its top, set up before its tests and cleared away after them.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { launch, openFile, openServer, type Watched } from "./browser";
import { Folder } from "./flametap";

export interface TestBrowser {
  openFile(path: string, hash?: string, options?: BrowserContextOptions): Promise<Page>;
  openServer(origin: string, path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** For a test in which the server refuses something: the browser itself tells of answers that are errors. */
  expectNoise(): void;
}

/** One browser for all tests of a file. After each of them its pages are closed, and must have been quiet. */
export function useBrowser(): TestBrowser {
  let browser: Browser;
  let opened: Watched[] = [];
  let noisy = false;
  const keep = (page: Watched) => {
    opened.push(page);
    return page.page;
  };
  beforeAll(async () => {
    browser = await launch();
  });
  afterEach(async () => {
    try {
      if (!noisy) for (const page of opened) page.assertQuiet();
    } finally {
      for (const { page } of opened) await page.context().close();
      opened = [];
      noisy = false;
    }
  });
  afterAll(() => browser.close());
  return {
    openFile: async (path, hash, options) => keep(await openFile(browser, path, hash, options)),
    openServer: async (origin, path, options) => keep(await openServer(browser, origin, path, options)),
    expectNoise: () => (noisy = true),
  };
}

/** A folder for the files of a file's tests. */
export function useFolder(): Folder {
  const folder = new Folder();
  afterAll(() => folder.remove());
  return folder;
}
