// MCP over HTTP. The person wrote the address, so that host may be private; every connection still
// goes to an address that was checked, and no redirect leads to another origin (S).
import type { IncomingMessage } from "node:http";
import { pipeline, Readable, Transform } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { StreamableHTTPClientTransport, type FetchLike } from "@modelcontextprotocol/client";
import { McpFailure } from "./mcp-errors.ts";
import { USER_AGENT } from "../web/fetch-page.ts";
import { createResolver, type Lookup } from "../web/resolve-host.ts";
import { sendRequest } from "../web/send-request.ts";

const MAX_MESSAGE = 4_194_304;

export type HttpServer = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly lookup?: Lookup;
};

export function httpTransport(server: HttpServer): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(server.url, {
    requestInit: { headers: { ...server.headers } },
    fetch: checkedFetch(server),
    redirectPolicy: "same-origin",
    onInsufficientScope: "throw",
  });
}

/** `fetch` for this one origin. Redirects come back as they are: the SDK decides, within the origin. */
function checkedFetch({ url: { hostname, origin }, lookup }: HttpServer): FetchLike {
  return async (input, init = {}) => {
    const url = new URL(input);
    if (url.origin !== origin)
      throw new Error(`It leads to ${url.origin}, which nobody configured.`);
    const message = await sendRequest({
      url,
      method: init.method ?? "GET",
      headers: { "user-agent": USER_AGENT, ...Object.fromEntries(new Headers(init.headers)) },
      ...(typeof init.body === "string" && { body: init.body }),
      resolve: createResolver({ allowPrivateHosts: [hostname], ...(lookup && { lookup }) }),
      signal: init.signal ?? new AbortController().signal,
    });
    return responseOf(message);
  };
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = message;
  const known = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) known.set(name, Array.isArray(value) ? value.join(", ") : value);
  if ([204, 205, 304].includes(status)) {
    message.resume();
    return new Response(null, { status, headers: known });
  }
  const body = pipeline(message, bounded(), () => undefined); // its reader sees every error
  return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, {
    status,
    headers: known,
  });
}

/** Lets a stream go on for ever, but no single message of it: they end with an empty line. */
function bounded(): Transform {
  let size = 0;
  let lineEmpty = true;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const byte of chunk) {
        size += 1;
        if (byte === 10 && lineEmpty) size = 0;
        if (byte === 10) lineEmpty = true;
        else if (byte !== 13) lineEmpty = false;
      }
      if (size > MAX_MESSAGE)
        done(new McpFailure("mcp_malformed", "It sent a message that is too large."));
      else done(null, chunk);
    },
  });
}
