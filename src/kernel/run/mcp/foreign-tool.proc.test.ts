import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { fileAgent } from "../../../../test/support/models/file-agent.ts";
import { until } from "../../../../test/support/until.ts";
import { toolPictures } from "../../state/tool-pictures.ts";
import { programOf } from "../../home/profile.ts";
import { temporaryDirectory } from "../../workspace/host/test-support.ts";
import { rollbackTool } from "../tools/rollback.ts";
import { OutcomeUnknown, type ToolResult } from "../tools/tool.ts";
import { mcpServers } from "./mcp-servers.ts";
import { fixture, mcpTest } from "./test-support.ts";

const PROGRAM = programOf(fixture());
const codeOf = ({ error }: ToolResult) => error?.code;

test("[R13c, S] a foreign tool appears like ours, and its word of being harmless changes nothing", async () => {
  await using mcp = await mcpTest();
  const { tools, problems } = await mcp.tools();
  assert.deepEqual(problems, []);
  for (const tool of tools) {
    assert.deepEqual([tool.risk, tool.replay], ["execute", "ask"], tool.name);
    assert.deepEqual(tool.access?.({}), [
      { kind: "foreign", schema: tool.schemaHash, server: { name: "fix", program: PROGRAM } },
    ]);
  }
  const liar = await mcp.tool("read_only");
  assert.match(liar.description, /says of itself: read-only/);
  assert.match(liar.label({ a: 1 }), /^fix: read_only \(says: read-only\) \{"a":1\}$/);
  const echo = await mcp.tool("echo");
  assert.deepEqual(echo.inputSchema?.["properties"], { text: { type: "string" } });
  const { ok, output } = await mcp.run.call(echo, { text: "hi", more: [1] });
  assert.ok(ok);
  assert.equal(output?.head, 'said {"text":"hi","more":[1]} with no token');
  assert.equal(mcp.ledger("start"), 1, "one connection serves them all");
});

test("[B1, B3] answers of every kind are kept bounded", async () => {
  await using mcp = await mcpTest();
  const content = await mcp.run.call(await mcp.tool("content"), {});
  assert.deepEqual(content.result, { ok: true, truncated: false, content: { answer: 42 } });
  assert.equal(
    content.output?.head,
    "one\n[image: image/png, 3000 bytes]\n[link: a link, file:///a]\ntwo\n[file: file:///c, x/y, 3000 bytes]",
  );
  const big = await mcp.run.call(await mcp.tool("big"), {});
  assert.deepEqual([big.ok, big.output?.bytes, big.output?.truncated], [true, 200_000, true]);
  const deep = await mcp.run.call(await mcp.tool("deep"), {});
  assert.equal((deep.result as { content: string }).content, "[left out: nested too deep]");
  const failed = await mcp.run.call(await mcp.tool("fail"), {});
  assert.deepEqual(failed.error, { code: "tool_failed", message: "no such file" });
  assert.equal(failed.ok, false);
});

test("[R13d] pictures are kept, known by their bytes and not by what the server says", async () => {
  await using mcp = await mcpTest();
  const tool = await mcp.tool("picture");
  const done = await mcp.run.call(tool, {});
  const [picture, ...others] = toolPictures({ name: tool.name, result: done.result });
  assert.deepEqual(others, []);
  assert.deepEqual([picture?.media_type, picture?.bytes], ["image/png", 70]);
  const stored = await buffer(mcp.run.log.journal.blobs.read(picture?.sha256 ?? ""));
  assert.equal(stored.length, 70);
  assert.match(done.output?.head ?? "", /^\[image: image\/gif, 70 bytes\]/);
});

test("[B4] progress is shown; a flood of it is not kept", async () => {
  await using mcp = await mcpTest();
  await mcp.run.call(await mcp.tool("progress"), {});
  const updates = async () =>
    (await mcp.run.events()).flatMap((event) =>
      event.type === "tool.updated" ? [event.payload] : [],
    );
  const [first] = await updates();
  assert.deepEqual([first?.channel, first?.delta], ["progress", "1/3 rowing\n"]);
  assert.equal((await mcp.run.call(await mcp.tool("flood"), {})).output?.head, "arrived");
  const all = (await updates()).map(({ delta }) => delta).join("");
  assert.ok(all.length < 70_000, `${all.length} characters`);
});

test("[X3] a server that dies during a call leaves an unknown outcome, and comes back", async () => {
  await using mcp = await mcpTest();
  const die = await mcp.tool("die");
  await assert.rejects(mcp.run.call(die, {}), OutcomeUnknown);
  assert.equal(mcp.ledger("call die"), 1, "nobody tried again");
  const echo = await mcp.tool("echo");
  assert.ok((await mcp.run.call(echo, {})).ok);
  assert.equal(mcp.ledger("start"), 2);
});

test("[X3] a tool host that dies takes the server along: the outcome is unknown", async () => {
  await using mcp = await mcpTest();
  const call = mcp.run.call(await mcp.tool("silent"), {});
  await until(() => mcp.ledger("call silent") === 1);
  process.kill(mcp.host.pid ?? assert.fail(), "SIGKILL");
  await assert.rejects(call, OutcomeUnknown);
});

test("[X3] a server that died before the call is a failure, for nothing was sent", async () => {
  await using mcp = await mcpTest();
  const servers = { fix: mcp.server() };
  const echo = await mcp.tool("echo", servers);
  await mcp.host[Symbol.asyncDispose](); // no server starts here any more
  const result = await mcp.run.call(echo, {});
  assert.equal(codeOf(result), "mcp_unavailable");
  assert.equal(mcp.ledger("call"), 0);
});

test("[R13a, C6, S] a tool whose description changed since it was planned is not called", async () => {
  for (const openly of [true, false]) {
    await using mcp = await mcpTest();
    const echo = await mcp.tool("echo");
    const execute = await mcp.run.plan(echo, { text: "hi" });
    await mcp.run.call(await mcp.tool("change"), { openly });
    const old = await execute(echo);
    assert.equal(codeOf(old), "schema_changed");
    assert.equal(mcp.ledger("call echo"), 0);
    if (!openly) continue;
    // Planned afresh, with what the model is told now, it is called; the hash is another one.
    const renewed = await mcp.tool("echo");
    assert.notEqual(renewed.schemaHash, echo.schemaHash);
    assert.ok((await mcp.run.call(renewed, {})).ok);
    assert.equal(codeOf(await (await mcp.run.plan(echo, {}))(renewed)), "schema_changed");
    assert.equal(mcp.ledger("call echo"), 1);
  }
});

test("[B1, B3] hostile answers become typed failures in bounded memory", async () => {
  const codes: Record<string, string | undefined> = {};
  const before = process.memoryUsage.rss();
  for (const name of ["refuse", "malformed", "neither", "wrong_id", "silent"]) {
    await using mcp = await mcpTest({
      callMs: name === "wrong_id" || name === "silent" ? 200 : 20_000,
    });
    codes[name] = codeOf(await mcp.run.call(await mcp.tool(name), {}));
    if (name === "silent") await until(() => mcp.ledger("cancelled") === 1);
  }
  for (const name of ["huge_line", "endless_line", "babble"]) {
    await using mcp = await mcpTest();
    codes[name] = codeOf(await mcp.run.call(await mcp.tool(name), {}));
    assert.ok(
      (await mcp.run.call(await mcp.tool("echo"), {})).ok,
      `after ${name} a new server works`,
    );
  }
  assert.deepEqual(codes, {
    refuse: "mcp_error",
    malformed: "mcp_malformed",
    neither: "mcp_error",
    wrong_id: "mcp_timeout",
    silent: "mcp_timeout",
    huge_line: "mcp_malformed",
    endless_line: "mcp_malformed",
    babble: "mcp_malformed",
  });
  assert.ok(process.memoryUsage.rss() - before < 128 * 1_048_576);
});

test("[X7] aborting a call tells the server, and the connection lives on", async () => {
  await using mcp = await mcpTest();
  const stop = new AbortController();
  const call = mcp.run.call(await mcp.tool("silent"), {}, stop.signal);
  await until(() => mcp.ledger("call silent") === 1);
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await until(() => mcp.ledger("cancelled") === 1);
  assert.ok((await mcp.run.call(await mcp.tool("echo"), {})).ok);
  assert.equal(mcp.ledger("start"), 1);
});

test("[X5] a runner whose claim has run out sends nothing", async () => {
  await using mcp = await mcpTest({ claimedUntil: () => 0n });
  const result = await mcp.run.call(await mcp.tool("echo"), {});
  assert.equal(codeOf(result), "claim_ended");
  assert.equal(mcp.ledger("call"), 0);
});

test("[T1, T2] what a server in the workspace does to files is kept, told and taken back", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("ledger"), "mine\n");
  await using agent = await fileAgent(ws.path);
  await using servers = mcpServers({
    open: (at, request) => agent.hosts.forWorkspace(at.workspace, at).open(request),
    secrets: () => undefined,
  });
  const { tools } = await servers.tools({
    workspace: ws.path,
    profile: "default",
    servers: { fix: fixture({ LEDGER: ws.at("ledger") }) },
    signal: agent.log().signal,
  });
  const echo = tools.find(({ name }) => name === "mcp__fix__echo");
  assert.ok(echo);
  const before = await readFile(ws.at("ledger"), "utf8"); // that it started is in it

  const called = await agent.call(echo, { text: "hi" });

  assert.ok(called.result.ok);
  assert.deepEqual(
    called.changed?.changes.map(({ path }) => path),
    ["ledger"],
  );
  assert.equal((await agent.call(rollbackTool, {})).result.ok, true);
  assert.equal(await readFile(ws.at("ledger"), "utf8"), before);
});
