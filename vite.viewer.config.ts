// Builds the page of a recording: one script and one style, which the server puts into each file it makes
// (src/features/share/server/html.ts). It may load nothing, so nothing is left to load later.
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const source = join(import.meta.dirname, "src/web");

/** Diagrams are drawn by a library of three megabytes in a frame that a file cannot have: their source is shown. */
const withoutDiagrams: Plugin = {
  name: "without-diagrams",
  enforce: "pre",
  resolveId: (id, from) =>
    id === "./diagrams.ts" && from?.includes("/markdown/")
      ? join(source, "viewer/no-diagrams.ts")
      : null,
};

export default defineConfig({
  root: source,
  publicDir: false,
  plugins: [withoutDiagrams, react()],
  build: {
    outDir: "../../dist/web/viewer",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    target: "es2023",
    reportCompressedSize: false,
    rolldownOptions: {
      input: join(source, "viewer/main.tsx"),
      output: {
        format: "iife",
        codeSplitting: false,
        entryFileNames: "viewer.js",
        assetFileNames: "viewer[extname]",
      },
    },
  },
});
