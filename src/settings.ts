// Everything that can be set: one record per setting (kernel/api/setting.ts), and those of features. config.ts reads their
// values. Adding a setting is adding a record; `node scripts/settings-doc.ts` writes docs/settings.md anew.
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { BROWSER_SETTINGS } from "./features/browser/settings.ts";
import { DEMO_SETTINGS } from "./features/demo/settings.ts";
import { GATEWAY_SETTINGS } from "./features/messengers/settings.ts";
import { OTLP_SETTINGS } from "./features/telemetry/settings.ts";
import { MEDIA_SETTINGS } from "./features/voice/runner/settings.ts";
import {
  choice,
  fixed,
  inSection,
  integer,
  schemasOf,
  setting,
  type Setting,
} from "./kernel/api/setting.ts";

const Port = z
  .union([z.int(), z.string().regex(/^\d+$/).transform(Number)], "a number from 0 to 65535")
  .pipe(z.int().min(0).max(65_535));
const Name = z.string().min(1);
const Names = z.array(Name).default([]);
const Seconds = z.number().positive();
const HttpUrl = z.url({ protocol: /^https?$/ });
const BaseUrls = z
  .partialRecord(z.enum(["openai", "anthropic", "google", "ollama", "lmstudio"]), z.url())
  .default({});

/** A channel for text-only devices. What it leaves out is as for everyone. */
export const Channel = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/, "letters, digits, '_', '.', '-'"),
  profile: z.string().min(1).optional(),
  model: z.string().min(1).optional(), // "provider/model"
  workspace: z.string().min(1).optional(),
});
const Channels = z
  .array(Channel)
  .refine(
    (all) => new Set(all.map(({ id }) => id)).size === all.length,
    "an id stands there twice",
  );

/** Where this machine has mounted what others know by the same name. */
const Volumes = z
  .record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "letters, digits, '.', '_', '-'"),
    z.string().refine(isAbsolute, "a volume has an absolute path"),
  )
  .transform((named) =>
    Object.fromEntries(Object.entries(named).map(([name, path]) => [name, resolve(path)])),
  );

/** name=/path, each name once. */
function volumesIn(given: readonly string[]): Record<string, string> {
  const named = given.map((one) => {
    const at = one.indexOf("=");
    if (at < 1) throw new Error(`“${one}” is no volume: name=/path`);
    return [one.slice(0, at).trim(), one.slice(at + 1).trim()] as const;
  });
  const twice = named.find(([name], at) => named.findIndex(([other]) => other === name) !== at);
  if (twice) throw new Error(`The volume ${twice[0]} is named twice.`);
  return Object.fromEntries(named);
}

const MODELS = inSection("models", {
  model: setting(Name.default("demo/demo"), "Of new sessions: provider/model.", {
    env: "QUARTERDECK_MODEL",
  }),
  base_url: setting(z.url().optional(), "Any OpenAI-compatible endpoint.", {
    env: "QUARTERDECK_BASE_URL",
    keys: ["model"],
  }),
  base_urls: setting(BaseUrls, "Other addresses of providers, by provider.", {
    keys: ["openai", "anthropic", "google"],
  }),
  titles: setting(z.boolean().default(true), "Ask the model for a title of each session."),
  // Some think in silence.
  model_idle_timeout_ms: setting(integer(100, 300_000), "How long a model may be silent."),
  model_attempts: setting(integer(1, 5), "How often a failed call is tried."),
  model_retry_base_ms: setting(integer(1, 1_000), "The first wait between tries."),
});

const RUNS = inSection("runs", {
  profile: setting(Name.default("default"), "Of new sessions."),
  workspace: setting(Name.optional(), "Of new sessions: where tools work.", {
    flag: ["--workspace DIR", "where tools work (here)"],
  }),
  max_runs: setting(integer(1, 50), "At once, per runner."),
  resume: setting(choice("auto", "ask", "never"), "What happens to a run whose runner died."),
  resume_max_age_s: setting(Seconds.default(86_400), "Older runs are not resumed by themselves."),
  resume_attempts: setting(integer(0, 8), "Recoveries without progress before it ends."),
  drain_ms: setting(integer(0, 30_000), "How long a runner that stops waits for a turn's end."),
  lease_ms: setting(integer(500, 10_000), "How long a silent runner keeps its runs."),
});

const TOOLS = inSection("tools", {
  web_search_url: setting(z.url().optional(), "Where web_search asks.", { keys: ["webSearch"] }),
  tool_memory_mb: setting(integer(64, 4_096), "Of the tools of one workspace."),
  tool_processes: setting(integer(8, 512), "Of the tools of one workspace."),
  tool_output_mb: setting(z.int().min(2).max(1_024).default(64), "Kept of what one call prints."),
  session_output_mb: setting(integer(2, 1_024), "Kept of what a session's calls print."),
  sandbox: fixed(choice("auto", "required", "off"), "Whether tools run in bubblewrap.", {
    env: "QUARTERDECK_SANDBOX",
  }),
  readable_paths: fixed(Names, "What sandboxed commands may read beside the workspace."),
  allow_private_hosts: fixed(Names, "Private addresses that web_fetch may reach."),
});

const ACCESS = inSection("access", {
  host: fixed(Name.default("127.0.0.1"), "The address it listens on.", {
    flag: ["--host ADDRESS", "the address to listen on (127.0.0.1)"],
  }),
  port: fixed(Port.default(8730), "The port it listens on.", {
    flag: ["--port N", "the port to listen on (8730; 0 picks one)"],
    env: "QUARTERDECK_PORT",
  }),
  no_auth: fixed(z.boolean().default(false), "Nobody has to log in (loopback only).", {
    flag: ["--no-auth", "nobody has to log in; loopback only"],
  }),
  public_url: fixed(HttpUrl.optional(), "Its address as browsers know it, behind a proxy."),
  allowed_hosts: fixed(z.array(z.string()).default([]), "Other names it answers to."),
  // Exact origins, e.g. of a development proxy.
  allowed_origins: fixed(
    z.array(z.url()).default([]),
    "Pages elsewhere that may ask with a token.",
  ),
  tls_cert: fixed(Name.optional(), "Its certificate.", {
    flag: ["--tls-cert FILE", "serve https with this certificate"],
  }),
  channels: fixed(Channels.default([{ id: "terminal-dev" }]), "Doors for text-only devices."),
});

const STORAGE = inSection("storage", {
  database: fixed(z.string().optional(), "Postgres instead of SQLite.", {
    secret: true,
    flag: [
      "--database URL",
      "postgres://… instead of a file in the home, for many machines (better: QUARTERDECK_DATABASE_URL)",
    ],
    env: "QUARTERDECK_DATABASE_URL",
  }),
  blobs: fixed(z.string().optional(), "Where large contents are kept.", {
    secret: true,
    flag: ["--blobs URL", "s3://BUCKET/PREFIX?… for large contents"],
    env: "QUARTERDECK_BLOBS",
  }),
  volumes: fixed(Volumes.default({}), "Where this machine has what others know by the same name.", {
    flag: ["--volume NAME=/PATH", "what this machine has mounted; may be repeated"],
    env: "QUARTERDECK_VOLUMES",
    fromList: volumesIn,
  }),
});

/** What the settings page does not show. */
const FILE_ONLY = {
  tls_key: setting(Name.optional(), "The key of the server's certificate.", {
    flag: ["--tls-key FILE", "and its key"],
  }),
  tls_ca: setting(Name.optional(), "What attach and terminal trust.", {
    flag: ["--tls-ca FILE", "what attach and terminal trust"],
  }),
  heartbeat_ms: setting(integer(50, 10_000), "How often a stream without events sends something."),
  database_patience_ms: setting(integer(100, 10_000), "How long a command waits for the database."),
};

const SETTINGS_BY_NAME = {
  ...MODELS,
  ...RUNS,
  ...TOOLS,
  ...BROWSER_SETTINGS,
  ...MEDIA_SETTINGS,
  ...ACCESS,
  ...FILE_ONLY,
  ...STORAGE,
  ...DEMO_SETTINGS,
  ...OTLP_SETTINGS,
  ...GATEWAY_SETTINGS,
};

export const Settings = z.strictObject(schemasOf(SETTINGS_BY_NAME));
export type Settings = z.infer<typeof Settings>;
export type Channel = z.infer<typeof Channel>;

type NamedSetting = Setting & { readonly name: keyof Settings };
export const SETTINGS: readonly NamedSetting[] = Object.entries<Setting>(SETTINGS_BY_NAME).map(
  ([name, setting]) => ({ ...setting, name: name as keyof Settings }),
);
