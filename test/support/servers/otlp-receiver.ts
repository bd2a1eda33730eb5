// A collector for tests: accepts OTLP over HTTP as JSON, records every span, and refuses on request.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  status: { code: number; message?: string };
};
type Request = { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };

export type ReceivedSpan = Omit<SentSpan, "attributes"> & {
  readonly attributes: Readonly<Record<string, unknown>>;
};

export async function startReceiver() {
  const spans: ReceivedSpan[] = [];
  const heads: { path: string; type: string; authorization: string | undefined }[] = [];
  const raw: string[] = [];
  let refusing = 0; // the status, or 0
  const server = createServer((request, response) => {
    const type = request.headers["content-type"] ?? "";
    heads.push({ path: request.url ?? "", type, authorization: request.headers.authorization });
    const take = async () => {
      if (refusing > 0) return void request.resume();
      if (type !== "application/json") {
        const parts: Buffer[] = [];
        for await (const part of request) parts.push(part as Buffer);
        raw.push(Buffer.concat(parts).toString("latin1"));
        return;
      }
      const sent = (await json(request)) as Request;
      raw.push(JSON.stringify(sent));
      for (const { scopeSpans } of sent.resourceSpans) {
        for (const { spans: some } of scopeSpans) spans.push(...some.map(received));
      }
    };
    void take().then(() => response.writeHead(refusing || 200).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    heads,
    raw,
    refuse: (status: number) => void (refusing = status),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function received({ attributes, ...span }: SentSpan): ReceivedSpan {
  const named = attributes.map(({ key, value }) => [key, plain(value)]);
  return { ...span, attributes: Object.fromEntries(named) as Record<string, unknown> };
}

function plain(value: Value): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
