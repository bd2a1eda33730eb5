// Finds model servers on their usual local ports. Asking is bounded by a short timeout and never throws: no
// start-up and no run may depend on whether something answers there.
import { z } from "zod";

const PROBE_MS = 300;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const LOCAL_URLS = {
  ollama: "http://127.0.0.1:11434",
  lmstudio: "http://127.0.0.1:1234",
} as const;
export type LocalProvider = keyof typeof LOCAL_URLS;
export type LocalUrls = Partial<Record<LocalProvider, string>>;
export type Discovered = { provider: LocalProvider; baseUrl: string; models: readonly string[] };

const Tags = z.object({ models: z.array(z.object({ name: z.string().min(1) })) });
const Models = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });
const Shown = z.object({ model_info: z.record(z.string(), z.unknown()) });

const LISTS: Record<
  LocalProvider,
  { path: string; read: (body: unknown) => string[] | undefined }
> = {
  ollama: {
    path: "/api/tags",
    read: (body) => Tags.safeParse(body).data?.models.map((m) => m.name),
  },
  lmstudio: {
    path: "/v1/models",
    read: (body) => Models.safeParse(body).data?.data.map((m) => m.id),
  },
};

export function isLocal(provider: string): provider is LocalProvider {
  return Object.hasOwn(LOCAL_URLS, provider);
}

/** The server's root, with or without the /v1 of its OpenAI-compatible side. */
export function localUrl(provider: LocalProvider, urls: LocalUrls = {}): string {
  return (urls[provider] ?? LOCAL_URLS[provider]).replace(/\/+$/, "").replace(/\/v1$/, "");
}

export async function discover(
  urls: LocalUrls = {},
  { timeoutMs = PROBE_MS }: { timeoutMs?: number } = {},
): Promise<Discovered[]> {
  const asked = (Object.keys(LOCAL_URLS) as LocalProvider[]).map(async (provider) => {
    const baseUrl = localUrl(provider, urls);
    const { path, read } = LISTS[provider];
    const models = read(await ask(`${baseUrl}${path}`, { timeoutMs }));
    return models ? [{ provider, baseUrl, models }] : [];
  });
  return (await Promise.all(asked)).flat();
}

/** What the model was made for; null when the server does not say (only Ollama does). */
export async function localWindow(
  at: { provider: LocalProvider; baseUrl: string; id: string },
  { timeoutMs = PROBE_MS }: { timeoutMs?: number } = {},
): Promise<number | null> {
  if (at.provider !== "ollama") return null;
  const body = await ask(`${at.baseUrl}/api/show`, { timeoutMs, send: { model: at.id } });
  const info = Shown.safeParse(body).data?.model_info ?? {};
  const [, length] = Object.entries(info).find(([key]) => key.endsWith(".context_length")) ?? [];
  return z.int().positive().safeParse(length).data ?? null;
}

async function ask(
  url: string,
  { timeoutMs, send }: { timeoutMs: number; send?: object },
): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { "content-type": "application/json" };
  const post = send && { method: "POST", headers, body: JSON.stringify(send) };
  try {
    const response = await fetch(url, { ...post, signal, redirect: "error" });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return undefined;
    }
    return JSON.parse(await bounded(response.body)) as unknown;
  } catch {
    return undefined; // nobody there, too slow, or not what it was taken for
  }
}

async function bounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
