import { defineConfig } from "vitest/config";

// The page is built into the package, so that using it needs no Node.
export default defineConfig({
  base: "/",
  esbuild: { jsx: "automatic", legalComments: "eof" },
  build: {
    outDir: "../src/audience/web/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    assetsInlineLimit: 0,
  },
  test: { css: true },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:8000" } },
});
