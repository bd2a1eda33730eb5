// Keys that the environment gives, and whatever else of it must never be journaled. Values only pass through here:
// none is said, printed or kept.

export type Environment = Readonly<Record<string, string | undefined>>;

const KEY_NAMES = {
  model: "QUARTERDECK_API_KEY",
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  webSearch: "QUARTERDECK_WEB_SEARCH_KEY",
  transcription: "QUARTERDECK_TRANSCRIPTION_KEY",
  speech: "QUARTERDECK_SPEECH_KEY",
} as const;
export type KeyName = keyof typeof KEY_NAMES;

const OURS: ReadonlySet<string> = new Set(Object.values(KEY_NAMES));

/** Whether a value refers to one of them (`${NAME}`), or to anything else that was given to this program alone. */
export function namesOurKey(value: string): boolean {
  const names = value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g);
  return [...names].some(([, name = ""]) => OURS.has(name) || name.startsWith("QUARTERDECK_"));
}

/** Secrets: read from the environment, given to whom they belong, never journaled. */
export type Keys = Readonly<Partial<Record<KeyName, string>>>;

export function keysIn(env: Environment): Keys {
  const named = Object.entries(KEY_NAMES).map(([key, name]) => [key, env[name]]);
  return Object.fromEntries(named.filter(([, value]) => value)) as Keys;
}

const NAMED_LIKE_A_SECRET = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/i;

export function secretsIn(env: Environment): { name: string; value: string }[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value && NAMED_LIKE_A_SECRET.test(name) ? [{ name, value }] : [],
  );
}

/** What is sent to a collector is often a key. */
export function headersIn(env: Environment): { name: string; value: string }[] {
  const headers = (env["OTEL_EXPORTER_OTLP_HEADERS"] ?? "").split(",");
  const values = headers.map((header) => decodedOr(header.slice(header.indexOf("=") + 1)).trim());
  return values.flatMap((value) => (value === "" ? [] : [{ name: "otlp-headers", value }]));
}

/** The whole address too: a password may be too short to be looked for by itself. */
export function secretsOf(database: string | undefined): { name: string; value: string }[] {
  if (database === undefined || !URL.canParse(database)) return [];
  const { password, searchParams } = new URL(database);
  const passwords = [decodedOr(password), password, searchParams.get("password") ?? ""];
  return [
    ...[...new Set(passwords)].map((value) => ({ name: "database-password", value })),
    { name: "database-url", value: database },
  ].filter(({ value }) => value !== "");
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function foundKeys(env: Environment) {
  const providers = ["openai", "anthropic", "google"] as const;
  return providers
    .filter((provider) => env[KEY_NAMES[provider]])
    .map((provider) => ({
      name: KEY_NAMES[provider],
      detail: `set QUARTERDECK_MODEL=${provider}/<model> to use it`,
    }));
}
