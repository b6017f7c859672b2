// Tests of the page in a real browser, with real recordings: `npx vitest run --config browser/vitest.config.ts`.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    // One browser at a time: the machine has other things to do, and what is looked at is looked at by one person, too.
    fileParallelism: false,
    // Far longer than anything takes, on a busy machine too: what runs into them hangs.
    testTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    hookTimeout: 600_000,
  },
});
