// One HTTP request to a checked address. TLS and the Host header see the name; the socket connects
// to an address that was checked and to nothing else. Redirects are the caller's business.
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { plainHost } from "./addresses.ts";
import type { Address, Resolver } from "./resolve-host.ts";
import { untilAborted } from "./until-aborted.ts";

const CONNECT_MS = 10_000;

export type WebRequest = {
  readonly url: URL;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | null;
  readonly resolve: Resolver;
  readonly signal: AbortSignal;
  readonly connectMs?: number;
};

/** Nothing reached the server: whatever was asked for has not happened. */
export class NotConnected extends Error {
  override name = "NotConnected";
}

/** Settles with the head of the answer. The caller reads the body, or destroys it. */
export async function sendRequest(request: WebRequest): Promise<IncomingMessage> {
  const { url, signal } = request;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new NotConnected(`${url.protocol} is not http or https.`);
  const addresses = await untilAborted(request.resolve(url.hostname), signal);
  signal.throwIfAborted();
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const outgoing = send({
    protocol: url.protocol,
    hostname: plainHost(url.hostname),
    port: url.port === "" ? undefined : url.port,
    path: url.pathname + url.search,
    method: request.method ?? "GET",
    headers: { ...request.headers, host: url.host },
    agent: false, // a connection of its own: none is reused for another address or run
    lookup: pinned(addresses),
    signal,
    maxHeaderSize: 65_536,
  });
  return answerTo(outgoing, request);
}

function answerTo(outgoing: ClientRequest, request: WebRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { url, signal, connectMs = CONNECT_MS } = request;
  let connected = false;
  const timer = setTimeout(() => {
    outgoing.destroy(new Error(`no connection within ${connectMs / 1000} s`));
  }, connectMs);
  const onConnect = () => {
    connected = true;
    clearTimeout(timer);
  };
  outgoing.once("socket", (socket) => {
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", onConnect);
  });
  outgoing.once("response", (message) => {
    onConnect();
    resolve(message);
  });
  outgoing.on("error", (error) => {
    clearTimeout(timer);
    if (signal.aborted) reject(signal.reason as Error);
    else if (connected) reject(error);
    else reject(new NotConnected(`${url.host} cannot be reached: ${error.message}`));
  });
  outgoing.end(request.body ?? undefined);
  return promise;
}

/** Answers every lookup of the socket with what was checked. */
function pinned(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) return callback(null, [...addresses]);
    const [first] = addresses;
    callback(null, first?.address ?? "", first?.family ?? 4);
  };
}
