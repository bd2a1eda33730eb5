// Keys that were entered in the page, for the addresses they were entered for.
import { secretFor, type Secrets } from "../../home/secrets.ts";
import { ANTHROPIC_URL, GOOGLE_URL, OPENAI_URL } from "./provider/urls.ts";

export const STORED_KEYS = [
  "model",
  "openai",
  "anthropic",
  "google",
  "webSearch",
  "transcription",
  "speech",
] as const;
export type StoredKey = (typeof STORED_KEYS)[number];

type Addresses = {
  readonly base_url?: string | undefined;
  readonly base_urls: Readonly<Record<string, string | undefined>>;
  readonly web_search_url?: string | undefined;
  readonly transcription_url?: string | undefined;
  readonly speech_url?: string | undefined;
};

/** Where a key would be sent. */
export function urlOf(name: StoredKey, settings: Addresses): string | undefined {
  const { base_url, base_urls, web_search_url } = settings;
  if (name === "model") return base_url;
  if (name === "webSearch") return web_search_url;
  if (name === "transcription") return settings.transcription_url;
  if (name === "speech") return settings.speech_url;
  const usual = { openai: OPENAI_URL, anthropic: ANTHROPIC_URL, google: GOOGLE_URL };
  return base_urls[name] ?? usual[name];
}

export function storedKeys(
  stored: Secrets,
  settings: Addresses,
): Partial<Record<StoredKey, string>> {
  const found = STORED_KEYS.map((name) => [
    name,
    secretFor(stored, nameOf(name), urlOf(name, settings)),
  ]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** As the file calls it. */
export function nameOf(name: StoredKey): string {
  return name === "webSearch" ? "web_search" : name;
}

/** For the redactor: whatever is kept is a secret, also where it is not used. */
export function secretsKept(stored: Secrets): { name: string; value: string }[] {
  return Object.entries(stored).map(([name, { value }]) => ({ name, value }));
}
