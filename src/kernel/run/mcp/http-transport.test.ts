import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { until } from "../../../../test/support/until.ts";
import { webServer, type WebServer } from "../../../../test/support/servers/web-server.ts";
import { OutcomeUnknown } from "../tools/tool.ts";
import { mcpTest } from "./test-support.ts";

const at = ({ origin }: WebServer, headers: Record<string, string> = {}) => ({
  fix: { transport: "http", url: `${origin}/mcp`, headers, startup_timeout_s: 30 } as const,
});

/** A server made with the SDK. */
function sdkServer(legacy: "stateless" | "reject"): Promise<WebServer> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "sdk", version: "1" });
      const inputSchema = z.object({ text: z.string() });
      server.registerTool("shout", { description: "Shouts.", inputSchema }, ({ text }) => ({
        content: [{ type: "text", text: text.toUpperCase() }],
        structuredContent: { length: text.length },
      }));
      return server;
    },
    { legacy },
  );
  const serve = toNodeHandler(handler);
  return webServer((request, response) => {
    void serve(request as Parameters<typeof serve>[0], response);
  });
}

test("[S] a server over HTTP works, also one that speaks only the newest protocol", async () => {
  for (const legacy of ["stateless", "reject"] as const) {
    await using server = await sdkServer(legacy);
    await using mcp = await mcpTest({ secrets: () => "s3cret" });
    const shout = await mcp.tool("shout", at(server, { authorization: "Bearer ${KEY}" }));
    const { result, output } = await mcp.run.call(shout, { text: "ahoy" });
    assert.equal(output?.head, "AHOY", legacy);
    assert.deepEqual(result, { ok: true, truncated: false, content: { length: 4 } });
    const invalid = await mcp.run.call(shout, { text: 5 });
    assert.equal(invalid.ok, false, "the server validates what its schema says");
    assert.ok(server.requests.every(({ headers }) => headers.authorization === "Bearer s3cret"));
  }
});

type Rpc = { id?: number; method: string };
type OnCall = (id: number, response: ServerResponse, request: IncomingMessage) => void;

/** Written by hand: greets and lists properly, then does to a call what the test wants. */
function roughServer(
  onCall: OnCall,
  onAny: OnCall = () => undefined,
  onNotification: (method: string) => void = () => undefined,
): Promise<WebServer> {
  const answer = (response: ServerResponse, id: number, result: unknown) =>
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const serverInfo = { name: "rough", version: "1" };
  const greeting = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
  const tools = [{ name: "go", inputSchema: { type: "object" } }];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = (await json(request)) as Rpc;
    if (id === undefined) {
      onNotification(method);
      return void response.writeHead(202).end();
    }
    onAny(id, response, request);
    if (response.writableEnded) return;
    if (method === "initialize") answer(response, id, greeting);
    else if (method === "tools/list") answer(response, id, { tools });
    else onCall(id, response, request);
  };
  return webServer((request, response) => void serve(request, response));
}

test("[X3] an answer that breaks off over HTTP is an unknown outcome", async () => {
  const stream = { "content-type": "text/event-stream" };
  const cuts: Record<string, OnCall> = {
    "before the answer": (_, response) => response.destroy(),
    "inside the answer": (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":');
      response.socket?.end();
    },
    "a stream that ends without it": (_, response) =>
      response.writeHead(200, stream).end(": hi\n\n"),
    "a proxy that lost the server": (_, response) => response.writeHead(502).end(),
  };
  for (const [what, cut] of Object.entries(cuts)) {
    await using server = await roughServer(cut);
    await using mcp = await mcpTest();
    const go = await mcp.tool("go", at(server));
    await assert.rejects(mcp.run.call(go, {}), OutcomeUnknown, what);
  }
});

test("[X3, B1] what a server refuses, or floods us with, is a failure; one that is gone is unavailable", async () => {
  const refused = await roughServer((_, response) => response.writeHead(403).end("no"));
  const flooding = await roughServer((id, response) => {
    const content = [{ type: "text", text: "x".repeat(5_000_000) }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { content } }));
  });
  const gone = await roughServer(() => assert.fail("nobody comes here"));
  const codes: (string | undefined)[] = [];
  for (const server of [refused, flooding, gone]) {
    await using _ = server;
    await using mcp = await mcpTest();
    const go = await mcp.tool("go", at(server));
    if (server === gone) await server[Symbol.asyncDispose]();
    codes.push((await mcp.run.call(go, {})).error?.code);
  }
  assert.deepEqual(codes, ["mcp_error", "mcp_malformed", "mcp_unavailable"]);
});

test("[X3] a session the server has forgotten is begun again before the call", async () => {
  let sessions = 0;
  let calls = 0;
  await using server = await roughServer(
    (id, response) => {
      calls += 1;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } }));
    },
    (_, response, { headers }) => {
      const session = headers["mcp-session-id"];
      if (session === undefined) response.setHeader("mcp-session-id", `s${(sessions += 1)}`);
      else if (session !== `s${sessions}`) response.writeHead(404).end();
    },
  );
  await using mcp = await mcpTest();
  const go = await mcp.tool("go", at(server));
  sessions += 1; // a restart: the old session is no more
  assert.ok((await mcp.run.call(go, {})).ok);
  assert.deepEqual([sessions, calls], [3, 1]);
});

test("[S] a redirect leads nowhere else, and takes no header along", async () => {
  await using elsewhere = await webServer((_, response) => response.end());
  await using server = await webServer((_, response) => {
    response.writeHead(307, { location: `${elsewhere.origin}/mcp` }).end();
  });
  await using mcp = await mcpTest();
  const { tools, problems } = await mcp.tools(at(server, { authorization: "Bearer s3cret" }));
  assert.deepEqual([tools.length, problems.length, elsewhere.requests.length], [0, 1, 0]);
});

test("[X7] aborting a call over HTTP tells the server and closes its request", async () => {
  const calls: ServerResponse[] = [];
  let cancelled = 0;
  await using server = await roughServer(
    (_, response) => void calls.push(response),
    () => undefined,
    (method) => void (cancelled += method === "notifications/cancelled" ? 1 : 0),
  );
  await using mcp = await mcpTest();
  const stop = new AbortController();
  const call = mcp.run.call(await mcp.tool("go", at(server)), {}, stop.signal);
  await until(() => calls.length === 1, "the call");
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await until(() => cancelled === 1 && calls[0]?.closed, "the request is closed");
});

test("[X3] one lost call does not lose the others on the same server", async () => {
  const calls: [number, ServerResponse][] = [];
  await using server = await roughServer((id, response) => void calls.push([id, response]));
  await using mcp = await mcpTest();
  const go = await mcp.tool("go", at(server));
  const [first, second] = [mcp.run.call(go, {}), mcp.run.call(go, {})];
  await until(() => calls.length === 2, "both calls");
  const [[, lost], [id, kept]] = calls as [(typeof calls)[0], (typeof calls)[0]];
  lost.destroy();
  const outcomes = Promise.allSettled([first, second]);
  await Promise.race([assert.rejects(first), assert.rejects(second)]);
  kept.setHeader("content-type", "application/json");
  kept.end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } }));
  const ended = (await outcomes).map((one) =>
    one.status === "fulfilled" ? one.value.ok : one.reason,
  );
  assert.ok(ended.includes(true) && ended.some((one) => one instanceof OutcomeUnknown));
});
