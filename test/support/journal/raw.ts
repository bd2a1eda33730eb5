// Sends and receives raw bytes: these tests need exactly what fetch and http.request refuse to send.
import { connect, type Socket } from "node:net";

const LIMIT_MS = 15_000; // an answer that never ends is a failure, not a test that hangs

export type RawAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  json: () => {
    ok: boolean;
    data: unknown;
    error: { code: string; message: string; details?: unknown };
  };
};

/** Sends the bytes as they are and reads one answer, or whatever came until the server closed. */
export async function sendRaw(
  url: string,
  parts: readonly (string | Uint8Array)[],
): Promise<RawAnswer> {
  using connection = openRaw(url, { bodiless: parts[0]?.toString().startsWith("HEAD ") ?? false });
  for (const part of parts) connection.write(part);
  return await connection.answer();
}

export type RawConnection = Disposable & {
  write(part: string | Uint8Array): void;
  answer(): Promise<RawAnswer>;
  /** The first bytes that came, whatever they are. */
  readonly closed: Promise<void>;
  readonly socket: Socket;
};

export function openRaw(url: string, { bodiless = false } = {}): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined); // a server that refuses may reset the connection: what it sent before counts
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let received = Buffer.alloc(0);
  let arrived = Promise.withResolvers<void>();
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  return {
    socket,
    closed,
    write: (part) => void socket.write(part),
    async answer() {
      const tooLate = AbortSignal.timeout(LIMIT_MS);
      tooLate.addEventListener("abort", () => socket.destroy());
      for (;;) {
        const complete = parseAnswer(received, socket.destroyed, bodiless);
        if (complete) return complete;
        if (socket.destroyed) throw new Error(`the server closed after ${received.length} bytes`);
        await Promise.race([arrived.promise, closed]);
      }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

function parseAnswer(received: Buffer, ended: boolean, bodiless: boolean): RawAnswer | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = received.subarray(end + 4);
  const whole = ended ? body.length : Number.NaN; // without a length, until the server closes
  const length = bodiless ? 0 : Number(headers["content-length"] ?? whole);
  if (Number.isNaN(length) || body.length < length) return undefined;
  const text = body.subarray(0, length).toString("utf8");
  const status = Number(first.split(" ")[1]);
  return { status, headers, body: text, json: () => JSON.parse(text) as never };
}
