// Builds the web window. Nothing is inlined: the page must run under a policy that allows no inline
// script and no inline style.
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// Runs while the page's program is on its way, so it must not be a part of it; nor is the service worker.
const FIRST =
  /\/src\/(?:web\/(?:first-read|frames|storage|auth\/login-proof|text\/harmless)|kernel\/(?:client\/past|events\/(?:version|login-proof)|text\/visible-text))\.ts$|^\0(?:rolldown\/runtime|vite\/preload-helper)/;
// Runs then too, where the address names a session: it must need nothing of the program.
const PROSE = /\/markdown\/(?:blocks|maths-syntax|sanitize|links)\.ts$|\/(?:marked|dompurify)\//;
const PROGRAM = /^(?!.*\/pwa\/service-worker\.ts$)/;

const firstRead: Plugin = {
  name: "first-read",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const file = Object.values(bundle).find(({ name }) => name === "first")?.fileName;
      if (file === undefined) throw new Error("The page's first file was not built");
      const attrs = { type: "module", crossorigin: true, src: `/${file}` };
      return [{ tag: "script", attrs, injectTo: "head-prepend" }];
    },
  },
};

export default defineConfig({
  root: "src/web",
  plugins: [react(), firstRead],
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        page: "src/web/index.html",
        sw: "src/web/pwa/service-worker.ts",
      },
      output: {
        // What every screen needs in one file: each file more is a request more before the first of them.
        codeSplitting: {
          groups: [
            { name: "first", test: FIRST, priority: 1 },
            { name: "prose", test: PROSE, priority: 1 },
            { name: "program", test: PROGRAM, tags: ["$initial"] },
          ],
        },
        // A service worker must keep its name and stand at the root: that is its reach.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
});
