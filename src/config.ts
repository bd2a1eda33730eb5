// Where every setting comes from: flags over environment over config.json in the home.
// Only main.ts calls this; every other file is given what it needs.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  foundKeys,
  headersIn,
  keysIn,
  secretsIn,
  secretsOf,
  type Environment,
  type KeyName,
  type Keys,
} from "./config-keys.ts";
import { defaultWorkspace, workspaceProblem } from "./kernel/workspace/host/program-places.ts";
import { storedKeys, secretsKept } from "./kernel/run/models/stored-keys.ts";
import { gatewaySecretsKept } from "./features/messengers/home/secrets.ts";
import { readSecrets, type Secrets } from "./kernel/home/secrets.ts";
import { Settings, type Channel } from "./settings.ts";

export { namesOurKey, type Environment, type KeyName } from "./config-keys.ts";

/** Something the person who started us has to put right. Printed as one sentence. */
export class UsageError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.name = "UsageError";
    this.exitCode = exitCode;
  }
}

export type SettingSource = "default" | "file" | "environment" | "flag";

export type Config = Settings & {
  readonly home: string;
  readonly workspace: string;
  readonly apiServerKey: string | undefined;
  /** Of `quarterdeck terminal`, under the names that devices know. */
  readonly terminal: {
    readonly url: string | undefined;
    readonly peerId: string | undefined;
    readonly deviceName: string | undefined;
  };
  readonly keys: Keys;
  /** Which of them come from the environment; the others were entered in the page. */
  readonly givenKeys: ReadonlySet<KeyName>;
  readonly sourceOf: (name: keyof Settings) => SettingSource;
  /** For `${NAME}` in a profile's servers of foreign tools. */
  readonly secret: (name: string) => string | undefined;
  /** Values that never reach the journal: keys, and whatever is named like one. */
  readonly secrets: readonly { name: string; value: string }[];
  readonly found: readonly { name: string; detail: string }[];
};

export const FLAGS = {
  home: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  workspace: { type: "string" },
  database: { type: "string" },
  blobs: { type: "string" },
  volume: { type: "string", multiple: true },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  "tls-ca": { type: "string" },
  "no-auth": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export type CommandFlags = NonNullable<Parameters<typeof parseArgs>[0]>["options"];
export type Parsed = {
  config: Config;
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
  /** As it would be started with now: throws a UsageError when it could not be. */
  reread: () => Parsed;
};

export function readConfig(
  argv: readonly string[],
  env: Environment,
  extra: CommandFlags = {},
): Parsed {
  const { values, positionals } = parseFlags(argv, extra);
  const home = resolve(
    stringOf(values["home"]) ?? env["QUARTERDECK_HOME"] ?? join(homedir(), ".quarterdeck"),
  );
  const [file, environment, flags] = [
    readFile(home),
    fromEnvironment(env),
    defined({
      host: values["host"],
      port: values["port"],
      workspace: values["workspace"],
      database: values["database"],
      blobs: values["blobs"],
      volumes: volumesIn(values["volume"] as string[] | undefined),
      tls_cert: values["tls-cert"],
      tls_key: values["tls-key"],
      tls_ca: values["tls-ca"],
      no_auth: values["no-auth"],
    }),
  ];
  const settings = checkedSettings({ ...file, ...environment, ...flags });
  const stored = keptSecrets(home);
  const given = { flag: flags, environment, file };
  const config: Config = {
    ...settings,
    home,
    workspace: resolve(
      settings.workspace ?? defaultWorkspace(env["INIT_CWD"] ?? process.cwd(), home),
    ),
    channels: settings.channels.map(withAbsoluteWorkspace),
    apiServerKey: env["API_SERVER_KEY"],
    terminal: terminalIn(env),
    keys: { ...storedKeys(stored, settings), ...keysIn(env) },
    givenKeys: new Set(Object.keys(keysIn(env)) as KeyName[]),
    sourceOf: (name) =>
      (["flag", "environment", "file"] as const).find((from) => name in given[from]) ?? "default",
    secret: (name) => env[name],
    secrets: [
      ...secretsIn(env),
      ...secretsOf(settings.database),
      ...headersIn(env),
      ...secretsKept(stored),
      ...gatewaySecretsKept(home),
    ],
    found: foundKeys(env),
  };
  checkTogether(config);
  return { config, values, positionals, reread: () => readConfig(argv, env, extra) };
}

function keptSecrets(home: string): Secrets {
  try {
    return readSecrets(home);
  } catch (error) {
    throw new UsageError((error as Error).message, 3);
  }
}

/** Throws a UsageError that names the setting. */
export function checkedSettings(wanted: object): Settings {
  const result = Settings.safeParse(wanted);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === "unrecognized_keys" && issue.path.length === 0) {
    throw new UsageError(`There is no setting “${issue.keys.join("”, “")}”.`);
  }
  throw new UsageError(`The setting “${issue?.path.join(".") ?? ""}” is wrong: ${issue?.message}.`);
}

function parseFlags(argv: readonly string[], extra: CommandFlags) {
  try {
    const options = { ...FLAGS, ...extra };
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    return { values: parsed.values as Parsed["values"], positionals: parsed.positionals };
  } catch (error) {
    throw new UsageError((error as Error).message.split(". To specify")[0] ?? "Wrong flags.");
  }
}

const CAPTURE_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

function fromEnvironment(env: Environment): object {
  return defined({
    port: env["QUARTERDECK_PORT"],
    database: env["QUARTERDECK_DATABASE_URL"],
    blobs: env["QUARTERDECK_BLOBS"],
    volumes: volumesIn(env["QUARTERDECK_VOLUMES"]?.split(",").filter((one) => one !== "")),
    model: env["QUARTERDECK_MODEL"],
    base_url: env["QUARTERDECK_BASE_URL"],
    sandbox: env["QUARTERDECK_SANDBOX"],
    otlp_endpoint: env["OTEL_EXPORTER_OTLP_ENDPOINT"],
    otlp_protocol: env["OTEL_EXPORTER_OTLP_PROTOCOL"],
    otlp_contents: /^true$/i.test(env[CAPTURE_CONTENT] ?? "") ? true : undefined,
  });
}

function readFile(home: string): object {
  const path = join(home, "config.json");
  if (!existsSync(path)) return {};
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  const isObject = typeof settings === "object" && settings !== null && !Array.isArray(settings);
  if (!isObject) throw new UsageError(`${path} cannot be read: it is not a JSON object.`);
  return settings as object;
}

function checkTogether(config: Config): void {
  if (config.no_auth && !isLoopback(config.host)) {
    throw new UsageError(`--no-auth works only on loopback, not on ${config.host}.`);
  }
  checkDatabase(config);
  if ((config.tls_cert === undefined) !== (config.tls_key === undefined)) {
    throw new UsageError("--tls-cert and --tls-key belong together.");
  }
  for (const [name, path] of Object.entries(config.volumes)) {
    if (!isInside(path, config.home)) continue;
    throw new UsageError(`The volume ${name} must not be inside the home.`);
  }
  for (const { workspace } of [config, ...config.channels]) {
    const problem =
      workspace === undefined ? undefined : workspaceProblem(workspace, [config.home]);
    if (problem !== undefined) throw new UsageError(`${problem} (--workspace DIR)`);
  }
}

/** Never says the address itself: it may carry a password. */
function checkDatabase({ database, blobs }: Config): void {
  if (blobs !== undefined && database === undefined) {
    throw new UsageError("--blobs works with --database only.");
  }
  if (database === undefined) return;
  if (!/^postgres(ql)?:\/\//.test(database)) {
    throw new UsageError("--database wants the address of a Postgres: postgres://….");
  }
  if (!URL.canParse(database)) {
    const how = "postgres://user:password@host:5432/name";
    throw new UsageError(
      `--database has an address that cannot be read: ${how}, with %23 for # and %2F for / in a password.`,
    );
  }
  if (new URL(database).searchParams.has("options")) {
    throw new UsageError("--database must not set options: Quarterdeck sets its own.");
  }
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/** name=/path, each name once. */
function volumesIn(given: readonly string[] | undefined): Record<string, string> | undefined {
  if (given === undefined || given.length === 0) return undefined;
  const named = given.map((one) => {
    const at = one.indexOf("=");
    if (at < 1) throw new UsageError(`“${one}” is no volume: name=/path`);
    return [one.slice(0, at).trim(), one.slice(at + 1).trim()] as const;
  });
  const twice = named.find(([name], at) => named.findIndex(([other]) => other === name) !== at);
  if (twice) throw new UsageError(`The volume ${twice[0]} is named twice.`);
  return Object.fromEntries(named);
}

export function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

function withAbsoluteWorkspace(channel: Channel): Channel {
  const { workspace } = channel;
  return workspace === undefined ? channel : { ...channel, workspace: resolve(workspace) };
}

function terminalIn(env: Environment): Config["terminal"] {
  return {
    url: env["BEAVER_WS_URL"] || undefined,
    peerId: env["TERMINAL_PEER_ID"] || undefined,
    deviceName: env["TERMINAL_DEVICE_NAME"] || undefined,
  };
}

function stringOf(value: Parsed["values"][string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function defined(fields: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""),
  );
}
