// One script and one style sheet: flametap puts both into every page that it writes or serves.
import { defineConfig } from "vitest/config";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      input: "src/main.tsx",
      output: { format: "iife", entryFileNames: "viewer.js", assetFileNames: "viewer[extname]", inlineDynamicImports: true },
    },
  },
  // Far longer than any of them takes, on a busy machine too.
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"], testTimeout: 120_000, hookTimeout: 120_000 },
});
