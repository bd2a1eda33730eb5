import assert from "node:assert/strict";
import { test } from "node:test";
import { toolRun } from "../../../../test/support/tool-run.ts";
import { webServer } from "../../../../test/support/servers/web-server.ts";
import { createWebSearch, type WebSearchSettings } from "./web-search.ts";

async function searched(settings: WebSearchSettings, input: Record<string, unknown>) {
  await using run = await toolRun();
  return await run.call(createWebSearch(settings), input);
}

test("[S] without an endpoint the tool says which setting is missing, and asks for nothing", async () => {
  const { ok, error } = await searched({ endpoint: undefined }, { query: "ships" });
  assert.deepEqual([ok, error?.code], [false, "not_configured"]);
  assert.match(error?.message ?? "", /web_search_url/);
  assert.deepEqual(createWebSearch({ endpoint: undefined }).access?.({ query: "ships" }), []);
  assert.equal(
    (await searched({ endpoint: "nonsense" }, { query: "x" })).error?.code,
    "not_configured",
  );
});

test("[S, B3] results are what fits the shape, bounded; odd entries are left out", async () => {
  await using server = await webServer((_, response) => {
    const results = [
      { title: "One\n  ship", url: "https://one.test/", content: "x".repeat(5_000) },
      { title: "Bad", url: "javascript:alert(1)", content: "" },
      7,
      { url: "https://two.test/" },
      { title: "Three", url: "https://three.test/", content: "" },
    ];
    response.end(JSON.stringify({ results }));
  });
  const endpoint = `${server.origin}/search?language=en`;
  const tool = { endpoint, key: "k" };
  const { ok, result, output } = await searched(tool, { query: "a b&c", count: 2 });
  assert.ok(ok);
  const { results } = result as { results: { title: string; url: string; content: string }[] };
  assert.deepEqual(
    results.map(({ title, url, content }) => [title, url, content.length]),
    [
      ["One ship", "https://one.test/", 1_000],
      ["", "https://two.test/", 0],
    ],
  );
  assert.match(output?.head ?? "", /^One ship\nhttps:\/\/one\.test\//);
  const [request] = server.requests;
  assert.equal(request?.url, "/search?language=en&q=a+b%26c&format=json");
  assert.equal(request?.headers.authorization, "Bearer k");
  const url = `${server.origin}${request?.url}`;
  assert.deepEqual(createWebSearch(tool).access?.({ query: "a b&c" }), [{ kind: "network", url }]);
});

test("[S, B3] an endpoint that misbehaves is a result, and the key goes nowhere else", async () => {
  await using elsewhere = await webServer((_, response) => response.end('{"results":[]}'));
  await using server = await webServer((request, response) => {
    if (request.url?.startsWith("/moved"))
      response.writeHead(302, { location: elsewhere.origin }).end();
    else if (request.url?.startsWith("/html")) response.end("<html>");
    else if (request.url?.startsWith("/odd")) response.end('{"results":5}');
    else if (request.url?.startsWith("/silent")) response.write("{");
    else response.end(`{"results":["${"x".repeat(3_000_000)}"]}`);
  });
  const codes: (string | undefined)[] = [];
  for (const path of ["/moved", "/html", "/odd", "/huge", "/silent"]) {
    const settings = {
      endpoint: server.origin + path,
      key: "k",
      totalMs: path === "/silent" ? 200 : 20_000,
    };
    codes.push((await searched(settings, { query: "x" })).error?.code);
  }
  assert.deepEqual(codes, ["http_status", "bad_answer", "bad_answer", "too_large", "timeout"]);
  assert.equal(elsewhere.requests.length, 0);
});
