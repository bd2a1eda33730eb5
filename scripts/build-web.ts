// Builds the page, but only if a source has changed since the last build, so that `npm start` starts quickly.
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "vite";

const root = join(import.meta.dirname, "..");
const stampFile = join(root, "dist/web/.stamp");
const SOURCES = [
  "src/web/**/*",
  "src/{kernel,features,windows}/**/*.{ts,tsx,css}",
  "vite{,.*}.config.ts",
  "package-lock.json",
];

function stampOfSources(): string {
  const hash = createHash("sha256");
  const files = globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))) // the same in a copy of the checkout
    .toSorted();
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function stampOfBuild(): string {
  try {
    return readFileSync(stampFile, "utf8");
  } catch {
    return ""; // never built
  }
}

const stamp = stampOfSources();
if (stamp === stampOfBuild() && !process.argv.includes("--force")) {
  console.log("web: up to date");
} else {
  try {
    const started = performance.now();
    await build({
      root: join(root, "src/web"),
      configFile: join(root, "vite.config.ts"),
      logLevel: "error",
    });
    for (const config of globSync("vite.*.config.ts", { cwd: root })) {
      await build({ configFile: join(root, config), logLevel: "error" });
    }
    writeFileSync(stampFile, stamp);
    console.log(`web: built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`web: the page could not be built. ${reason}`);
    process.exitCode = 1;
  }
}
