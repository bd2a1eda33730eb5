// The dependency direction, enforced. Change this table only together with ARCHITECTURE.md.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

type Allowed = { layers: readonly string[]; packages: RegExp };
const ANYTHING_BUT_WEB = [
  "protocol",
  "journal",
  "home",
  "runner",
  "runner/tool-host",
  "gateway",
  "server",
  "client",
  "terminal",
  "attach",
  "commands",
].map((name) => `src/${name}`);
// The first that fits is a file's layer, so what lies deeper stands first.
const MAY_IMPORT: Record<string, Allowed> = {
  "src/protocol": { layers: [], packages: /^zod$/ },
  "src/client": { layers: ["src/protocol"], packages: /^eventsource-parser$/ },
  "src/terminal": { layers: ["src/protocol"], packages: /^node:/ },
  "src/journal": { layers: ["src/protocol"], packages: /^(node:|pg$|aws4fetch$|croner$)/ },
  "src/home": { layers: ["src/protocol"], packages: /^(node:|zod$)/ },
  "src/runner/tool-host": { layers: ["src/protocol"], packages: /^(node:|@lydell\/node-pty$)/ },
  "src/runner": {
    layers: ["src/protocol", "src/journal", "src/home", "src/runner/tool-host"],
    packages:
      /^(node:|zod$|tokenx$|@vscode\/ripgrep$|@ai-sdk\/|@modelcontextprotocol\/client|@opentelemetry\/|playwright-core$)/,
  },
  "src/gateway": {
    layers: ["src/protocol", "src/journal", "src/home"],
    packages: /^(node:|grammy$|@slack\/(web-api|socket-mode)$|discord\.js$)/,
  },
  "src/server": {
    layers: ["src/protocol", "src/journal", "src/home"],
    packages: /^(node:|zod$|diff$|fastify$|@fastify\/|ws$|prom-client$)/,
  },
  "src/attach": {
    layers: ["src/protocol", "src/client"],
    packages: /^(node:util|@earendil-works\/pi-tui)$/,
  },
  "src/web": {
    layers: ["src/protocol", "src/client"],
    packages:
      /^(react|react-dom|react-dom\/client|marked|diff|dompurify|temml|highlight\.js|highlight\.js\/.*|@mermaid-js\/.*|@tanstack\/react-virtual|@xterm\/xterm(?:\/css\/xterm\.css)?|@xterm\/addon-fit)$/,
  },
  "src/commands": {
    layers: [...ANYTHING_BUT_WEB, "src/main.ts", "src/config.ts", "src/settings.ts"],
    packages: /^(node:|zod$|fastify$|ws$|web-push$|@earendil-works\/pi-tui$)/,
  },
  "src/config-keys.ts": { layers: [], packages: /^$/ },
  "src/settings.ts": { layers: ["src/runner"], packages: /^(node:path|zod)$/ },
  "src/config.ts": {
    layers: [...ANYTHING_BUT_WEB, "src/config-keys.ts", "src/settings.ts"],
    packages: /^(node:|zod$)/,
  },
  "src/main.ts": { layers: [...ANYTHING_BUT_WEB, "src/config.ts"], packages: /^node:/ },
};

const root = join(import.meta.dirname, "..");
const IMPORT = /(?<![/".])(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;
const TYPE_IMPORT = /\b(?:import|export)\s+type\s[^;]*?from\s+"[^"]+"/g;

const TEST_NAME = /\btest\(\s*[`"][^\n]*?\[([A-Z]{1,2}\d*(?:, [A-Z]{1,2}\d*)*)\]/g; // its rule ids

const read = (path: string) => readFileSync(join(root, path), "utf8");
const isTest = (path: string) => /\.(test|contract|spec)\.tsx?$|\/test-support\.ts$/.test(path);
const everything = globSync("{src,test,scripts,bench}/**/*.{ts,tsx}", { cwd: root }).toSorted();
const sources = everything.filter((path) => path.startsWith("src/") && !isTest(path));

function layerOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((layer) => path === layer || path.startsWith(`${layer}/`));
}

/** What a file imports: packages by name, files by their path from the root. */
function importsOf(path: string, text = read(path)): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier = ""]) =>
    specifier.startsWith(".") ? relative(root, join(root, dirname(path), specifier)) : specifier,
  );
}

const within = (paths: readonly string[], layer: string) =>
  paths.filter((path) => path.startsWith(`${layer}/`));

test("every source file belongs to a layer", () => {
  assert.deepEqual(
    sources.filter((path) => layerOf(path) === undefined),
    [],
  );
});

for (const [layer, allowed] of Object.entries(MAY_IMPORT)) {
  test(`${layer} imports only what it may`, () => {
    const violations = sources
      .filter((path) => layerOf(path) === layer)
      .flatMap((path) =>
        importsOf(path)
          .filter((target) => {
            if (!target.startsWith("src/")) return !allowed.packages.test(target);
            return layerOf(target) !== layer && !allowed.layers.includes(layerOf(target) ?? "");
          })
          .map((target) => `${path} -> ${target}`),
      );
    assert.deepEqual(violations, []);
  });
}

test("[F6] the protocol reads no clock, no randomness, waits for nothing and prints nothing", () => {
  const impure =
    /\b(Date\.now|new Date\(|performance\.|Math\.random|crypto\.|set(Timeout|Interval|Immediate)|queueMicrotask|console\.|process\.|globalThis|async |await |Promise\b|fetch\()/;
  const found = within(sources, "src/protocol").flatMap((path) => {
    const code = read(path).replaceAll(/"[^"\n]*"|\/\/.*$|\/\*[^]*?\*\//gm, "");
    const hit = impure.exec(code)?.[0];
    return hit ? [`${path}: ${hit}`] : [];
  });
  assert.deepEqual(found, []);
});

test("only main.ts reads the environment; the tool host passes a list of it to children", () => {
  const readers = sources.filter((path) => /\bprocess\.env\b/.test(read(path)));
  const others = readers.filter(
    (path) => path !== "src/main.ts" && !path.startsWith("src/runner/tool-host/"),
  );
  assert.deepEqual(others, []);
});

test("no schema library reaches the browser: neither directly nor through what it imports", () => {
  const seen = new Set([...within(sources, "src/client"), ...within(sources, "src/web")]);
  for (const path of seen) {
    const code = read(path).replaceAll(TYPE_IMPORT, ""); // types are gone at run time
    for (const target of importsOf(path, code)) {
      assert.notEqual(target, "zod", `${path} loads zod`);
      if (/\.tsx?$/.test(target)) seen.add(target);
    }
  }
  assert.ok(seen.has("src/protocol/run-state.ts"), "the folds are among what was looked at");
});

test("no source file is longer than 400 lines", () => {
  const long = everything.filter((path) => read(path).split("\n").length > 401);
  assert.deepEqual(long, []);
});

test("no test is left out", () => {
  const left = everything.filter((path) =>
    /\b(test|it|describe|suite)\.(skip|only|todo)\(|\b(skip|only|todo): true\b|\bt\.(skip|todo)\(/.test(
      read(path),
    ),
  );
  assert.deepEqual(left, []);
});

type Lock = {
  packages: Record<string, { dev?: true; hasInstallScript?: true; resolved?: string }>;
};
const lock = () => JSON.parse(read("package-lock.json")) as Lock;

test("[S] nothing that is installed for use runs a script on the way", () => {
  const scripted = Object.entries(lock().packages).filter(
    ([, { dev, hasInstallScript }]) => hasInstallScript && !dev,
  );
  assert.deepEqual(
    scripted.map(([name]) => name),
    [],
  );
});

test("[S] no file names a registry or a place on somebody's machine", () => {
  const place = /registry\.[a-z.-]+\/|(?<!\.)\/(home|Users|root)\/[a-z]|[A-Z]:\\Users/;
  const files = [...sources, "package-lock.json", "package.json"];
  const found = files.filter((path) => place.test(read(path)));
  assert.deepEqual(found, []);
  assert.ok(Object.values(lock().packages).every(({ resolved }) => !resolved?.startsWith("http")));
});

test("every rule of the protocol is carried by a test", () => {
  const rules = [...read("PROTOCOL.md").matchAll(/^- \*\*([A-Z]{1,2}\d+)\*\*/gm)].map(
    ([, id]) => id,
  );
  assert.ok(rules.length > 50, "the rules are found at all");
  const carried = new Set(
    everything
      .filter(isTest)
      .flatMap((path) => [...read(path).matchAll(TEST_NAME)])
      .flatMap(([, ids = ""]) => ids.split(", ")),
  );
  assert.deepEqual(
    rules.filter((id) => !carried.has(id ?? "")),
    [],
  );
});
