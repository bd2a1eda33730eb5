// Everything that can be set: one record per setting (kernel/api/setting.ts), and those of features. config.ts reads their
// values. Adding a setting is adding a record; `node scripts/settings-doc.ts` writes docs/settings.md anew.
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { BROWSER_SETTINGS } from "./features/browser/settings.ts";
import { DEMO_SETTINGS } from "./features/demo/settings.ts";
import { GATEWAY_SETTINGS } from "./features/messengers/settings.ts";
import { OTLP_SETTINGS } from "./features/telemetry/settings.ts";
import { MEDIA_SETTINGS } from "./features/voice/runner/settings.ts";
import { schemasOf, shared, type Setting } from "./kernel/api/setting.ts";

const PROVIDERS = ["openai", "anthropic", "google", "ollama", "lmstudio"] as const;
const Port = z
  .union([z.int(), z.string().regex(/^\d+$/).transform(Number)], "a number from 0 to 65535")
  .pipe(z.int().min(0).max(65_535));
const Name = z.string().min(1);

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

const MODELS = shared(
  { section: "models" },
  {
    model: {
      schema: Name.default("demo/demo"),
      about: "Of new sessions: provider/model.",
      env: "QUARTERDECK_MODEL",
    },
    base_url: {
      schema: z.url().optional(),
      about: "Any OpenAI-compatible endpoint.",
      env: "QUARTERDECK_BASE_URL",
      keys: ["model"],
    },
    base_urls: {
      schema: z.partialRecord(z.enum(PROVIDERS), z.url()).default({}),
      about: "Other addresses of providers, by provider.",
      keys: ["openai", "anthropic", "google"],
    },
    titles: {
      schema: z.boolean().default(true),
      about: "Ask the model for a title of each session.",
    },
    model_idle_timeout_ms: {
      schema: z.int().min(100).default(300_000), // some think in silence
      about: "How long a model may be silent.",
    },
    model_attempts: {
      schema: z.int().min(1).default(5),
      about: "How often a failed call is tried.",
    },
    model_retry_base_ms: {
      schema: z.int().min(1).default(1_000),
      about: "The first wait between tries.",
    },
  },
);

const RUNS = shared(
  { section: "runs" },
  {
    profile: { schema: Name.default("default"), about: "Of new sessions." },
    workspace: {
      schema: Name.optional(),
      about: "Of new sessions: where tools work.",
      flag: { name: "workspace", value: "DIR", help: "where tools work (here)" },
    },
    max_runs: { schema: z.int().min(1).default(50), about: "At once, per runner." },
    resume: {
      schema: z.enum(["auto", "ask", "never"]).default("auto"),
      about: "What happens to a run whose runner died.",
    },
    resume_max_age_s: {
      schema: z.number().positive().default(86_400),
      about: "Older runs are not resumed by themselves.",
    },
    resume_attempts: {
      schema: z.int().min(0).default(8),
      about: "Recoveries without progress before it ends.",
    },
    drain_ms: {
      schema: z.int().min(0).default(30_000),
      about: "How long a runner that stops waits for a turn's end.",
    },
    lease_ms: {
      schema: z.int().min(500).default(10_000),
      about: "How long a silent runner keeps its runs.",
    },
  },
);

const TOOLS = shared(
  { section: "tools" },
  {
    web_search_url: {
      schema: z.url().optional(),
      about: "Where web_search asks.",
      keys: ["webSearch"],
    },
    tool_memory_mb: {
      schema: z.int().min(64).default(4_096),
      about: "Of the tools of one workspace.",
    },
    tool_processes: {
      schema: z.int().min(8).default(512),
      about: "Of the tools of one workspace.",
    },
    tool_output_mb: {
      schema: z.int().min(2).max(1_024).default(64),
      about: "Kept of what one call prints.",
    },
    session_output_mb: {
      schema: z.int().min(2).default(1_024),
      about: "Kept of what a session's calls print.",
    },
    sandbox: {
      schema: z.enum(["auto", "required", "off"]).default("auto"),
      about: "Whether tools run in bubblewrap.",
      fixed: true,
      env: "QUARTERDECK_SANDBOX",
    },
    readable_paths: {
      schema: z.array(Name).default([]),
      about: "What sandboxed commands may read beside the workspace.",
      fixed: true,
    },
    allow_private_hosts: {
      schema: z.array(Name).default([]),
      about: "Private addresses that web_fetch may reach.",
      fixed: true,
    },
  },
);

const ACCESS = shared(
  { section: "access", fixed: true },
  {
    host: {
      schema: Name.default("127.0.0.1"),
      about: "The address it listens on.",
      flag: { name: "host", value: "ADDRESS", help: "the address to listen on (127.0.0.1)" },
    },
    port: {
      schema: Port.default(8730),
      about: "The port it listens on.",
      flag: { name: "port", value: "N", help: "the port to listen on (8730; 0 picks one)" },
      env: "QUARTERDECK_PORT",
    },
    no_auth: {
      schema: z.boolean().default(false),
      about: "Nobody has to log in (loopback only).",
      flag: { name: "no-auth", help: "nobody has to log in; loopback only" },
    },
    public_url: {
      schema: z.url({ protocol: /^https?$/ }).optional(),
      about: "Its address as browsers know it, behind a proxy.",
    },
    allowed_hosts: { schema: z.array(z.string()).default([]), about: "Other names it answers to." },
    allowed_origins: {
      schema: z.array(z.url()).default([]), // exact origins, e.g. of a development proxy
      about: "Pages elsewhere that may ask with a token.",
    },
    tls_cert: {
      schema: Name.optional(),
      about: "Its certificate.",
      flag: { name: "tls-cert", value: "FILE", help: "serve https with this certificate" },
    },
    channels: {
      schema: Channels.default([{ id: "terminal-dev" }]),
      about: "Doors for text-only devices.",
    },
  },
);

const STORAGE = shared(
  { section: "storage", fixed: true },
  {
    database: {
      schema: z.string().optional(),
      about: "Postgres instead of SQLite.",
      secret: true,
      flag: {
        name: "database",
        value: "URL",
        help: "postgres://… instead of a file in the home, for many machines (better: QUARTERDECK_DATABASE_URL)",
      },
      env: "QUARTERDECK_DATABASE_URL",
    },
    blobs: {
      schema: z.string().optional(),
      about: "Where large contents are kept.",
      secret: true,
      flag: { name: "blobs", value: "URL", help: "s3://BUCKET/PREFIX?… for large contents" },
      env: "QUARTERDECK_BLOBS",
    },
    volumes: {
      schema: Volumes.default({}),
      about: "Where this machine has what others know by the same name.",
      flag: {
        name: "volume",
        value: "NAME=/PATH",
        help: "what this machine has mounted; repeatable",
      },
      env: "QUARTERDECK_VOLUMES",
      fromList: volumesIn,
    },
  },
);

/** What the settings page does not show. */
const FILE_ONLY = shared(
  {},
  {
    tls_key: {
      schema: Name.optional(),
      about: "The key of the server's certificate.",
      flag: { name: "tls-key", value: "FILE", help: "and its key" },
    },
    tls_ca: {
      schema: Name.optional(),
      about: "What attach and terminal trust.",
      flag: { name: "tls-ca", value: "FILE", help: "what attach and terminal trust" },
    },
    heartbeat_ms: {
      schema: z.int().min(50).default(10_000),
      about: "How long a stream may be silent before it says that it is there.",
    },
    database_patience_ms: {
      schema: z.int().min(100).default(10_000),
      about: "How long a command waits while the database is away.",
    },
  },
);

const SETTINGS_BY_NAME = {
  ...MODELS,
  ...RUNS,
  ...TOOLS,
  ...BROWSER_SETTINGS,
  ...MEDIA_SETTINGS,
  ...ACCESS,
  ...STORAGE,
  ...FILE_ONLY,
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
