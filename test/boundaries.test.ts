// The dependency direction, enforced. Change this table only together with ARCHITECTURE.md.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { ROOM_EDGES } from "./support/room-edges.ts";

type Layer = {
  /** The first that fits is a file's layer. */
  readonly files: RegExp;
  readonly layers: readonly string[];
  readonly packages: RegExp;
};
const ANYTHING_BUT_WEB = [
  "pure",
  "journal",
  "home",
  "host",
  "run",
  "gateway",
  "server",
  "client",
  "device",
  "attach",
  "settings",
];
/** How the layers lie in the rooms: a room's files at its top are pure, its folders are layers of it. */
const LAYERS: Readonly<Record<string, Layer>> = {
  pure: {
    files:
      /^src\/(?:api\/|kernel\/(?:api|dialect|events|state|text)\/|windows\/[^/]+\/(?:wire|state)\/|windows\/all\.ts$|features\/[^/]+\/(?!cli\.ts$|client\.ts$)[^/]+\.ts$)/,
    layers: [],
    packages: /^zod$/,
  },
  journal: {
    files:
      /^src\/(?:features\/journal-features\.ts$|(?:kernel\/(?:journal|blobs|redact|search)|features\/[^/]+\/store)\/)/,
    layers: ["pure"],
    packages: /^(node:|pg$|aws4fetch$|croner$)/,
  },
  home: {
    files: /^src\/(?:kernel|features\/[^/]+)\/home\//,
    layers: ["pure"],
    packages: /^(node:|zod$)/,
  },
  run: {
    files:
      /^src\/(?:kernel\/run|kernel\/workspace\/client|features\/(?:[^/]+\/(?:runner|model)|browser\/host)|features\/terminals\/host(?=\/start-host))\//,
    layers: ["pure", "journal", "home", "host"],
    packages:
      /^(node:|zod$|tokenx$|@vscode\/ripgrep$|@ai-sdk\/|@modelcontextprotocol\/client|@opentelemetry\/|playwright-core$)/,
  },
  host: {
    files: /^src\/(?:kernel\/workspace|features\/terminals\/host)\//,
    layers: ["pure"],
    packages: /^(node:|@lydell\/node-pty$)/,
  },
  gateway: {
    files: /^src\/features\/messengers\/gateway\//,
    layers: ["pure", "journal", "home"],
    packages: /^(node:|grammy$|@slack\/(web-api|socket-mode)$|discord\.js$)/,
  },
  device: {
    files: /^src\/windows\/terminal\/client\//,
    layers: ["pure"],
    packages: /^node:/,
  },
  server: {
    files: /^src\/(?:kernel\/server|features\/[^/]+\/server|windows)\//,
    layers: ["pure", "journal", "home"],
    packages: /^(node:|zod$|diff$|fastify$|@fastify\/|ws$|prom-client$)/,
  },
  client: {
    files: /^src\/(?:kernel\/client\/|features\/[^/]+\/client(?:\/|\.ts$))/,
    layers: ["pure"],
    packages: /^eventsource-parser$/,
  },
  web: {
    files: /^src\/(?:web|features\/[^/]+\/web)\//,
    layers: ["pure", "client"],
    packages:
      /^(react|react-dom|react-dom\/client|marked|diff|dompurify|temml|highlight\.js|highlight\.js\/.*|@mermaid-js\/.*|@tanstack\/react-virtual|@xterm\/xterm(?:\/css\/xterm\.css)?|@xterm\/addon-fit)$/,
  },
  attach: {
    files: /^src\/cli\/attach\//,
    layers: ["pure", "client"],
    packages: /^(node:util|@earendil-works\/pi-tui)$/,
  },
  cli: {
    files: /^src\/(?:cli\/|features\/[^/]+\/cli(?:\/|\.ts$))/,
    layers: [...ANYTHING_BUT_WEB, "config", "main"],
    packages: /^(node:|zod$|fastify$|ws$|web-push$|@earendil-works\/pi-tui$)/,
  },
  settings: {
    files: /^src\/(?:settings|config-keys)\.ts$/,
    layers: ["pure", "run"],
    packages: /^(node:path|zod)$/,
  },
  config: {
    files: /^src\/config\.ts$/,
    layers: [...ANYTHING_BUT_WEB, "cli"],
    packages: /^(node:|zod$)/,
  },
  main: {
    files: /^src\/main\.ts$/,
    layers: [...ANYTHING_BUT_WEB, "cli", "config"],
    packages: /^node:/,
  },
};

const root = join(import.meta.dirname, "..");
const IMPORT = /(?<![/".])(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;
const TYPE_IMPORT = /\b(?:import|export)\s+type\s[^;]*?from\s+"[^"]+"/g;

const TEST_NAME = /\btest\(\s*[`"][^\n]*?\[([A-Z]{1,2}\d*[a-z]?(?:, [A-Z]{1,2}\d*[a-z]?)*)\]/g; // its rule ids

const read = (path: string) => readFileSync(join(root, path), "utf8");
const isTest = (path: string) => /\.(test|contract|spec)\.tsx?$|\/test-support\.ts$/.test(path);
const everything = globSync("{src,test,scripts,bench}/**/*.{ts,tsx}", { cwd: root }).toSorted();
const sources = everything.filter((path) => path.startsWith("src/") && !isTest(path));

const layerOf = (path: string) =>
  Object.keys(LAYERS).find((name) => LAYERS[name]?.files.test(path));

/** A window, a feature, or the kernel; undefined: the page, the command line, the list of windows. */
const roomOf = (path: string) =>
  /^src\/(kernel|windows\/[^/]+(?=\/)|features\/[^/]+)\//.exec(path)?.[1];

/** What a file imports: packages by name, files by their path from the root. */
function importsOf(path: string, text = read(path)): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier = ""]) =>
    specifier.startsWith(".") ? relative(root, join(root, dirname(path), specifier)) : specifier,
  );
}

test("every source file belongs to a layer", () => {
  assert.deepEqual(
    sources.filter((path) => layerOf(path) === undefined),
    [],
  );
});

for (const [layer, allowed] of Object.entries(LAYERS)) {
  test(`the layer "${layer}" imports only what it may`, () => {
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

/** What a room takes from another one, and the kernel from any. */
function betweenRooms(): { kernel: string[]; rooms: string[] } {
  const [kernel, rooms] = [new Set<string>(), new Set<string>()];
  for (const path of sources) {
    for (const target of importsOf(path)) {
      const [from, to] = [roomOf(path), roomOf(target)];
      if (from === undefined || to === undefined || from === to || to === "kernel") continue;
      if (from === "kernel") kernel.add(`${path.slice(11)} ${to}`);
      else rooms.add(`${from} ${to}`);
    }
  }
  return { kernel: [...kernel].toSorted(), rooms: [...rooms].toSorted() };
}

test("the kernel imports no feature and no window", () => {
  assert.deepEqual(betweenRooms().kernel, []);
});

test("features and windows import each other only along these edges", () => {
  assert.deepEqual(betweenRooms().rooms, ROOM_EDGES);
});

test("no folder has more than 40 files", () => {
  const files = globSync("{src,test,scripts,bench}/**/*.*", { cwd: root }).filter(
    (path) => !/^test\/(?:browser|journals)\//.test(path), // one list for the trials, and recordings
  );
  const folders = Map.groupBy(files, (path) => dirname(path));
  const crowded = [...folders].filter(([, inside]) => inside.length > 40).map(([folder]) => folder);
  assert.deepEqual(crowded, []);
});

test("[F6] what is pure reads no clock, no randomness, waits for nothing and prints nothing", () => {
  const impure =
    /\b(Date\.now|new Date\(|performance\.|Math\.random|crypto\.|set(Timeout|Interval|Immediate)|queueMicrotask|console\.|process\.|globalThis|async |await |Promise\b|fetch\()/;
  const pure = sources.filter((path) => layerOf(path) === "pure");
  const found = pure.flatMap((path) => {
    const code = read(path).replaceAll(/"[^"\n]*"|\/\/.*$|\/\*[^]*?\*\//gm, "");
    const hit = impure.exec(code)?.[0];
    return hit ? [`${path}: ${hit}`] : [];
  });
  assert.deepEqual(found, []);
});

test("only main.ts reads the environment; the tool host passes a list of it to children", () => {
  const readers = sources.filter((path) => /\bprocess\.env\b/.test(read(path)));
  const others = readers.filter((path) => path !== "src/main.ts" && layerOf(path) !== "host");
  assert.deepEqual(others, []);
});

test("no schema library reaches the browser: neither directly nor through what it imports", () => {
  const ours = sources.filter((path) => ["client", "web"].includes(layerOf(path) ?? ""));
  const seen = new Set(ours);
  for (const path of seen) {
    const code = read(path).replaceAll(TYPE_IMPORT, ""); // types are gone at run time
    for (const target of importsOf(path, code)) {
      assert.notEqual(target, "zod", `${path} loads zod`);
      if (/\.tsx?$/.test(target)) seen.add(target);
    }
  }
  assert.ok(seen.has("src/kernel/state/run/state.ts"), "the folds are among what was looked at");
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
  const place = /registry\.[a-z.-]+\/|(?<![.\w])\/(home|Users|root)\/[a-z]|[A-Z]:\\Users/;
  const files = [...sources, "package-lock.json", "package.json"];
  const found = files.filter((path) => place.test(read(path)));
  assert.deepEqual(found, []);
  assert.ok(Object.values(lock().packages).every(({ resolved }) => !resolved?.startsWith("http")));
});

/** The rules of PROTOCOL.md by id: `J5`, and its sub-rules `J5a`, `J5b` … */
function rulesOfProtocol(): Map<string, string> {
  const rules = [...read("PROTOCOL.md").matchAll(/^- \*\*([A-Z]{1,2}\d+[a-z]?)\*\* (.+)$/gm)];
  assert.ok(rules.length > 50, "the rules are found at all");
  return new Map(rules.map(([, id = "", text = ""]) => [id, text]));
}
const parentOf = (id: string) => id.replace(/[a-z]$/, "");

test("every rule of the protocol is carried by a test", () => {
  const rules = rulesOfProtocol();
  const carried = new Set(
    everything
      .filter(isTest)
      .flatMap((path) => [...read(path).matchAll(TEST_NAME)])
      .flatMap(([, ids = ""]) => ids.split(", ")),
  );
  const untested = [...rules.keys()].filter((id) => !carried.has(id) && !carried.has(parentOf(id)));
  assert.deepEqual(untested, []);
  const unknown = [...carried].filter((id) => id !== parentOf(id) && !rules.has(id));
  assert.deepEqual(unknown, [], "a test names a sub-rule that PROTOCOL.md does not have");
});

test("a rule of the protocol is one sentence of at most 300 characters, with an id of its own", () => {
  const lines =
    read("PROTOCOL.md")
      .split("\n## Guarantees")[0]
      ?.match(/^(?:- |  ).*$/gm) ?? [];
  const rules = rulesOfProtocol();
  assert.equal(lines.length, rules.size, "every line of a list is a rule, and no id occurs twice");
  const orphans = [...rules.keys()].filter((id) => !rules.has(parentOf(id)));
  assert.deepEqual(orphans, []);
  const long = [...rules].filter(([, text]) => text.length > 300).map(([id]) => id);
  assert.deepEqual(long, []);
  const severalSentences = [...rules].filter(([, text]) => {
    const words = text.replace(/`[^`]*`/g, "X").replace(/ For example, [^.]*\.$/, "");
    const outside = words.replace(/\([^)]*\)/g, "");
    return !words.endsWith(".") || /[.!?]["”)]* +\S/.test(words) || outside.includes(";");
  });
  assert.deepEqual(
    severalSentences.map(([id]) => id),
    [],
  );
});
