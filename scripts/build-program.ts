// Bundles the program with its packages into dist: a few files instead of a thousand modules, which start in half the
// time. This bundle is published, and `npm test` starts it.
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
/**
 * Entry points of separate processes. They keep their paths below src, where `programFile` looks for them. Tests
 * load the settings and the commands (test/support/pair.ts).
 */
const ENTRIES = [
  "main",
  "config",
  "cli/commands",
  "kernel/workspace/host/main",
  "features/terminals/host/main",
  "features/browser/host/main",
];

/** Packages that bring their own programs, or that users install if they need them. */
const EXTERNAL = [
  "@lydell/node-pty",
  "@vscode/ripgrep",
  ...Object.keys(packageJson.peerDependencies),
];

const began = performance.now();
for (const old of globSync("dist/!(web)", { cwd: root }))
  rmSync(join(root, old), { recursive: true });
await build({
  root,
  configFile: false,
  logLevel: "warn",
  ssr: { noExternal: true, external: EXTERNAL },
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: false,
    copyPublicDir: false,
    target: "node24",
    minify: false,
    sourcemap: false,
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((name) => [name, join(root, "src", `${name}.ts`)])),
      output: {
        format: "es",
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
      },
    },
  },
});
console.log(`program: built in ${((performance.now() - began) / 1000).toFixed(1)} s`);
