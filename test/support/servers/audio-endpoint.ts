// A local endpoint for transcription and speech that speaks OpenAI's protocol. The model's name selects how it answers, so
// that one server can be good and bad; it records its requests.
import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { wav } from "../sounds.ts";
import { webServer } from "./web-server.ts";

export type Heard = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The fields of a form, and the name, type and bytes of its file. */
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { name: string; type: string; bytes: Buffer } | null;
};

export type AudioEndpoint = AsyncDisposable & {
  readonly baseUrl: string;
  readonly origin: string;
  readonly heard: Heard[];
  /** How many clients hung up before the answer. */
  readonly left: () => number;
  /** Answers all waiting requests. */
  readonly release: () => void;
};

type Behaviour = (response: ServerResponse, heard: Heard) => void;

export async function startAudioEndpoint(
  elsewhere = "http://127.0.0.1:9/",
): Promise<AudioEndpoint> {
  const heard: Heard[] = [];
  const waiting = new Set<() => void>();
  let left = 0;
  const behaviours: Record<string, Behaviour> = {
    never: () => {},
    wait: (response, one) => void waiting.add(() => good(response, one)),
    cut: (response) => void response.destroy(),
    huge: (response) => void pour(response),
    html: (response) => send(response, 200, "<html>Welcome to the proxy", "text/html"),
    empty: (response) => send(response, 200, "", "application/json"),
    words: (response) => send(response, 200, JSON.stringify({ words: 7 }), "application/json"),
    denied: (response, { headers }) =>
      send(response, 401, problem(`Bad key ${headers.authorization ?? ""}`), "application/json"),
    busy: (response) => send(response, 429, problem("Slow down."), "application/json"),
    broken: (response) => send(response, 500, "<html>oops", "text/html"),
    redirect: (response) => void response.writeHead(307, { location: elsewhere }).end(),
  };
  const server = await webServer((request, response) => {
    void received(request).then((one) => {
      heard.push(one);
      response.once("close", () => (left += response.writableFinished ? 0 : 1));
      (behaviours[one.fields["model"] ?? ""] ?? good)(response, one);
    });
  });
  return {
    origin: server.origin,
    baseUrl: `${server.origin}/v1`,
    heard,
    left: () => left,
    release() {
      for (const answer of waiting) answer();
      waiting.clear();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function good(response: ServerResponse, { path, file }: Heard): void {
  if (path.endsWith("/audio/speech")) return send(response, 200, wav(1_000), "audio/mpeg");
  const text = ` Heard ${file?.bytes.length ?? 0} bytes. `;
  send(response, 200, JSON.stringify({ text, language: "en", duration: 1.5 }), "application/json");
}

function send(response: ServerResponse, status: number, body: string | Buffer, type: string): void {
  response.writeHead(status, { "content-type": type }).end(body);
}

function problem(message: string): string {
  return JSON.stringify({ error: { message, type: "x" } });
}

/** Sends without an end, until the client hangs up. */
async function pour(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "audio/mpeg" });
  const part = Buffer.alloc(1_000_000, "x");
  const closed = once(response, "close");
  while (!response.closed) {
    const written = new Promise<void>((resolve) => void response.write(part, () => resolve()));
    await Promise.race([written, closed]);
  }
}

async function received(request: IncomingMessage): Promise<Heard> {
  const bytes = Buffer.concat((await request.toArray()) as Buffer[]);
  const about = { path: request.url ?? "", headers: request.headers };
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/")) {
    const fields = JSON.parse(bytes.toString("utf8")) as Record<string, string>;
    return { ...about, fields, file: null };
  }
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const words = [...form].flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  const file = form.get("file") as File;
  const content = Buffer.from(await file.arrayBuffer());
  return {
    ...about,
    fields: Object.fromEntries(words) as Record<string, string>,
    file: { name: file.name, type: file.type, bytes: content },
  };
}
