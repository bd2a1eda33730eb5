// Builds the web window. Nothing is inlined: the page must run under a policy that allows no inline
// script and no inline style.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: "src/web",
  plugins: [react()],
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
        // A service worker must keep its name and stand at the root: that is its reach.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
});
