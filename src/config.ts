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
import { kindOf } from "./kernel/api/setting.ts";
import { SETTINGS, Settings, type Channel } from "./settings.ts";

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

type Option = { type: "string" | "boolean"; short?: string; multiple?: boolean };

const OPTIONS = SETTINGS.flatMap(({ flag, schema, fromList }): [string, Option][] => {
  if (flag === undefined) return [];
  const type = kindOf(schema) === "switch" ? "boolean" : "string";
  return [[flag.name, { type, ...(fromList && { multiple: true }) }]];
});
export const FLAGS: Readonly<Record<string, Option>> = {
  home: { type: "string" },
  help: { type: "boolean", short: "h" },
  ...Object.fromEntries(OPTIONS),
};

/** The flags of every command, for `--help`. */
export function flagsHelp(): string {
  const all = [
    { name: "home", value: "DIR", help: "where the journal lives (~/.quarterdeck)" },
    ...SETTINGS.flatMap(({ flag }) => flag ?? []),
    { name: "version", help: "which Quarterdeck this is" },
    { name: "help", help: "this, or with a command about it" },
  ];
  return all
    .map(({ name, value = "", help }) => `  ${`--${name} ${value}`.padEnd(22)}${help}`)
    .join("\n");
}

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
  const [file, environment, flags] = [readFile(home), fromEnvironment(env), fromFlags(values)];
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

function fromFlags(values: Parsed["values"]): object {
  return given(({ flag, fromList }) => {
    const value = flag && values[flag.name];
    return fromList && value !== undefined ? listed(fromList, value as string[]) : value;
  });
}

function fromEnvironment(env: Environment): object {
  return given(({ env: name, schema, fromList }) => {
    const value = env[name ?? ""];
    if (value === undefined) return undefined;
    if (fromList)
      return listed(
        fromList,
        value.split(",").filter((one) => one !== ""),
      );
    if (kindOf(schema) === "switch") return /^true$/i.test(value) ? true : undefined;
    return value;
  });
}

/** What is said by `valueOf`, by setting. */
function given(valueOf: (setting: (typeof SETTINGS)[number]) => unknown): object {
  const said = SETTINGS.map((setting) => [setting.name, valueOf(setting)] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== undefined && value !== ""));
}

function listed(fromList: (items: readonly string[]) => unknown, items: readonly string[]) {
  if (items.length === 0) return undefined;
  try {
    return fromList(items);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
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
