// A reverse proxy as in front of a real server: it adds the token, cuts a reply whose server died, and answers 502 while
// no server listens. An EventSource that gets such an answer never reconnects.
import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "../http.ts";

export type HttpProxy = AsyncDisposable & {
  readonly url: string;
  /** Where requests go from now on; undefined: nowhere, even if a server listens. */
  to(server: Server | undefined): void;
};

export async function startHttpProxy(): Promise<HttpProxy> {
  let target: Server | undefined;
  const refuse = (response: ServerResponse) => {
    if (response.headersSent) return response.destroy();
    return response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
  };
  const proxy = createServer((incoming, response) => {
    if (!target) return void refuse(response);
    const { host } = new URL(target.url);
    const headers = { ...incoming.headers, host, authorization: `Bearer ${target.token}` };
    const { method, url } = incoming;
    const outgoing = request(target.url + url, { method, headers, agent: false }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers).flushHeaders();
      reply.on("error", () => response.destroy()).pipe(response);
    });
    outgoing.on("error", () => void refuse(response));
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    to: (server) => void (target = server),
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, "close");
    },
  };
}
