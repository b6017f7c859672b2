// Tests of the page in a real browser, with real recordings: `npx vitest run --config browser/vitest.config.ts`.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    // Two browsers at a time: more would take the CPUs from what runs beside these tests.
    maxWorkers: 2,
    minWorkers: 1,
    // Far longer than anything takes, on a busy machine too: what runs into them hangs.
    testTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    hookTimeout: 600_000,
  },
});
