// Everything that can be set, in one schema. config.ts says where each value comes from.
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { MEDIA_SETTINGS } from "./features/voice/runner/media-settings.ts";

const PROVIDERS = ["openai", "anthropic", "google", "ollama", "lmstudio"] as const;
const Port = z
  .union([z.int(), z.string().regex(/^\d+$/).transform(Number)], "a number from 0 to 65535")
  .pipe(z.int().min(0).max(65_535));

/** A door for text-only devices. What it leaves out is as for everyone. */
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

export const Settings = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  port: Port.default(8730),
  workspace: z.string().min(1).optional(),
  database: z.string().optional(),
  database_patience_ms: z.int().min(100).default(10_000), // how long a command waits while it is away
  blobs: z.string().optional(), // "s3://…", with a database
  volumes: Volumes.default({}),
  tls_cert: z.string().min(1).optional(),
  tls_key: z.string().min(1).optional(),
  tls_ca: z.string().min(1).optional(), // what attach and terminal trust
  no_auth: z.boolean().default(false),
  allowed_hosts: z.array(z.string()).default([]),
  public_url: z.url({ protocol: /^https?$/ }).optional(), // as browsers know it, behind a proxy
  /** Pages elsewhere that may ask with a bearer token, e.g. through a development proxy: exact origins. */
  allowed_origins: z.array(z.url()).default([]),
  model: z.string().min(1).default("demo/demo"), // "provider/model"
  base_url: z.url().optional(),
  lease_ms: z.int().min(500).default(10_000),
  max_runs: z.int().min(1).default(50),
  drain_ms: z.int().min(0).default(30_000), // for the end of a turn or call, after SIGTERM
  resume: z.enum(["auto", "ask", "never"]).default("auto"),
  resume_max_age_s: z.number().positive().default(86_400),
  resume_attempts: z.int().min(0).default(8),
  profile: z.string().min(1).default("default"),
  sandbox: z.enum(["auto", "required", "off"]).default("auto"),
  readable_paths: z.array(z.string().min(1)).default([]), // that sandboxed commands may read
  tool_memory_mb: z.int().min(64).default(4_096),
  tool_processes: z.int().min(8).default(512),
  tool_output_mb: z.int().min(2).max(1_024).default(64), // kept of what one call prints
  session_output_mb: z.int().min(2).default(1_024),
  titles: z.boolean().default(true),
  channels: Channels.default([{ id: "terminal-dev" }]),
  web_search_url: z.url().optional(),
  ...MEDIA_SETTINGS,
  allow_private_hosts: z.array(z.string().min(1)).default([]), // web_fetch may reach these
  browser_executable: z.string().min(1).optional(), // a Chrome; looked for when left out
  base_urls: z.partialRecord(z.enum(PROVIDERS), z.url()).default({}),
  model_idle_timeout_ms: z.int().min(100).default(300_000), // some think in silence
  model_attempts: z.int().min(1).default(5),
  model_retry_base_ms: z.int().min(1).default(1_000),
  demo_delay_ms: z.int().min(0).default(25),
  heartbeat_ms: z.int().min(50).default(10_000),
  otlp_endpoint: z.url({ protocol: /^https?$/ }).optional(), // a collector, for spans
  otlp_protocol: z.enum(["http/protobuf", "http/json"]).default("http/protobuf"),
  otlp_contents: z.boolean().default(false), // what was said, asked for and returned goes along
  /** Where a messenger's API is, if not where everybody's is. Only here: a token goes nowhere else. */
  gateway_urls: z.partialRecord(z.enum(["telegram", "slack", "discord"]), z.url()).default({}),
  gateway_edit_ms: z.int().min(0).optional(), // between two edits of a message that grows
  gateway_lease_ms: z.int().min(500).default(10_000),
});
export type Settings = z.infer<typeof Settings>;
export type Channel = z.infer<typeof Channel>;
