// A plain HTTP client and an SSE reader for tests. Shares no code with the product: it records exactly what was on the
// wire.
import { request } from "node:http";

export type Server = { url: string; token: string };
export type Frame = { id: string | undefined; event: string | undefined; data: string };
export type Answer<Data = Record<string, unknown>> = {
  status: number;
  headers: Headers;
  body: {
    ok: boolean;
    data: Data;
    error: { code: string; message: string; details: Record<string, unknown> };
  };
};

const ANSWER_MS = 60_000; // a server that does not answer at all is a failure, not a hanging test

export async function call<Data = Record<string, unknown>>(
  { url, token }: Server,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Data>> {
  const response = await fetch(`${url}${path}`, {
    method,
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = text === "" ? {} : (JSON.parse(text) as unknown);
  return {
    status: response.status,
    headers: response.headers,
    body: parsed as Answer<Data>["body"],
  };
}

export async function startRun(server: Server, message: string, extra: object = {}) {
  const { body } = await call<{ run_id: string; session_id: string; status: string }>(
    server,
    "POST",
    "/api/runs",
    { message, ...extra },
  );
  return body.data;
}

export type ReadOptions = {
  after?: string | undefined;
  /** Stop (by destroying the socket) after this many events. */
  take?: number;
  until?: (frame: Frame) => boolean;
  /** After this time, return what the connection delivered; without it, a timeout is a failure. */
  limitMs?: number;
};

/**
 * Reads a stream until it ends, `take` events arrived, `until` holds, or the connection drops.
 * `ended`: whether the server ended it cleanly.
 */
export function readEvents(
  { url, token }: Server,
  path: string,
  options: ReadOptions = {},
): Promise<{ frames: Frame[]; ended: boolean; status: number }> {
  return new Promise((resolve, reject) => {
    const frames: Frame[] = [];
    let rest = "";
    let status = 0;
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: "text/event-stream",
    };
    if (options.after !== undefined) headers["last-event-id"] = options.after;
    const outgoing = request(`${url}${path}`, { headers, agent: false }, (response) => {
      status = response.statusCode ?? 0;
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        rest += chunk;
        for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
          const frame = parseFrame(rest.slice(0, end));
          rest = rest.slice(end + 2);
          if (frame.event === "heartbeat") continue;
          frames.push(frame);
          if (frames.length === options.take || options.until?.(frame)) return finish(false);
        }
      });
      response.on("end", () => finish(true)).on("error", () => finish(false));
    });
    const limit = setTimeout(() => {
      const last = frames.slice(-4).map(({ data }) => data.slice(0, 400));
      const problem = `${path} brought nothing of it in time. The last were:\n${last.join("\n")}`;
      if (options.limitMs === undefined) reject(new Error(problem));
      finish(false);
    }, options.limitMs ?? 30_000);
    function finish(ended: boolean): void {
      clearTimeout(limit);
      outgoing.destroy();
      resolve({ frames, ended, status });
    }
    outgoing.on("error", () => finish(false));
    outgoing.end();
  });
}

function parseFrame(text: string): Frame {
  const frame: Frame = { id: undefined, event: undefined, data: "" };
  for (const line of text.split("\n")) {
    const colon = line.indexOf(": ");
    const field = line.slice(0, colon);
    const value = line.slice(colon + 2);
    if (field === "id") frame.id = value;
    else if (field === "event") frame.event = value;
    else if (field === "data") frame.data += value;
  }
  return frame;
}
