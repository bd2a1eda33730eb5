// The only way a browser we start gets to the network: a proxy that looks every name up once, checks what it found
// like web_fetch does, and connects to exactly that. So neither a page nor a redirect nor an answer of DNS that
// changes reaches this machine or its networks (BR4).
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { connect, type AddressInfo, type LookupFunction, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { plainHost } from "../../../kernel/run/web/addresses.ts";
import {
  createResolver,
  type Address,
  type AddressPolicy,
} from "../../../kernel/run/web/resolve-host.ts";

export type GuardOptions = AddressPolicy & {
  /** Told why nothing went out; the browser sees a connection that ends. */
  readonly refused: (host: string, why: string) => void;
};
export type GuardProxy = AsyncDisposable & { readonly url: string };

const CONNECT_MS = 10_000;
const MAX_CONNECTIONS = 512;

export async function guardProxy(options: GuardOptions): Promise<GuardProxy> {
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((request, response) => {
    forward(request, response, options).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", keep);
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnel(request, { socket, head, keep }, options).catch(() => socket.destroy());
  });
  server.on("upgrade", (_request, socket) => socket.destroy()); // web sockets come as tunnels
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** What Chrome asks its maker about the forms of a page is nobody's business. */
const BROWSERS_OWN =
  /^(content-autofill|optimizationguide-pa|safebrowsing|update)\.googleapis\.com$/;

/** Undefined: refused, and told. A new look-up per connection: each is checked by itself. */
async function addressesOf(
  hostname: string,
  options: GuardOptions,
): Promise<readonly Address[] | undefined> {
  if (BROWSERS_OWN.test(plainHost(hostname))) return undefined;
  try {
    return await createResolver(options)(hostname);
  } catch (error) {
    options.refused(plainHost(hostname), (error as Error).message);
    return undefined;
  }
}

type Tunnel = { socket: Duplex; head: Buffer; keep: (socket: Duplex) => void };

async function tunnel(
  { url = "" }: IncomingMessage,
  { socket, head, keep }: Tunnel,
  options: GuardOptions,
): Promise<void> {
  const target = URL.parse(`http://${url}`);
  const port = Number(url.slice(url.lastIndexOf(":") + 1));
  if (!target || !Number.isInteger(port) || port < 1 || port > 65_535) return void socket.destroy();
  const [address] = (await addressesOf(target.hostname, options)) ?? [];
  if (!address || socket.destroyed) return void socket.destroy();
  const onward = connect({ host: address.address, port, timeout: CONNECT_MS });
  keep(onward);
  onward.once("timeout", () => onward.connecting && onward.destroy());
  onward.once("connect", () => {
    onward.setTimeout(0);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) onward.write(head);
    onward.pipe(socket).pipe(onward);
  });
  onward.once("close", () => socket.destroy());
  socket.once("close", () => onward.destroy());
}

const HOP = new Set(["proxy-connection", "proxy-authorization", "connection", "keep-alive", "te"]);

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  options: GuardOptions,
): Promise<void> {
  const url = URL.parse(request.url ?? "");
  if (url?.protocol !== "http:") return void response.destroy();
  const addresses = await addressesOf(url.hostname, options);
  if (!addresses || response.destroyed) return void response.destroy();
  const headers = Object.entries(request.headers).filter(([name]) => !HOP.has(name));
  const outgoing = httpRequest({
    hostname: plainHost(url.hostname),
    port: url.port === "" ? 80 : url.port,
    path: url.pathname + url.search,
    method: request.method,
    headers: Object.fromEntries(headers),
    agent: false,
    lookup: pinned(addresses),
    timeout: CONNECT_MS,
  });
  outgoing.once(
    "timeout",
    () => (outgoing.socket as Socket | null)?.connecting && outgoing.destroy(),
  );
  outgoing.on("error", () => response.destroy());
  outgoing.once("response", (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !HOP.has(name));
    answer.on("error", () => response.destroy());
    try {
      response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept) as never);
    } catch {
      return void response.destroy(); // a status or header that nobody may pass on
    }
    answer.pipe(response);
  });
  response.once("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

function pinned(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) return callback(null, [...addresses]);
    const [first] = addresses;
    callback(null, first?.address ?? "", first?.family ?? 4);
  };
}
