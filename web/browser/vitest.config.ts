// Tests of the page in a real browser, with real recordings: `npx vitest run --config browser/vitest.config.ts`.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    // One browser at a time: the machine has other things to do, and what is looked at is looked at by one person, too.
    fileParallelism: false,
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
});
