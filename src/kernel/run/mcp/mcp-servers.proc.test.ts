import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../test/support/until.ts";
import { toolName } from "./describe-tool.ts";
import { mcpTest } from "./test-support.ts";

test("[S] secrets are put in by name, and a missing one is said before anything starts", async () => {
  await using mcp = await mcpTest({ secrets: (name) => (name === "KEY" ? "s3cret" : undefined) });
  const echo = await mcp.tool("echo", { fix: mcp.server({ TOKEN: "a-${KEY}" }) });
  assert.match((await mcp.run.call(echo, {})).output?.head ?? "", /with a-s3cret token/);
  const { tools, problems } = await mcp.tools({ fix: mcp.server({ TOKEN: "${OTHER}" }) });
  assert.deepEqual(tools, []);
  assert.match(problems[0]?.message ?? "", /TOKEN needs the secret OTHER/);
  assert.equal(mcp.ledger("start"), 1);
});

test("[B3] schemas too deep, too large or called alike are left out, and said to be", async () => {
  await using mcp = await mcpTest();
  const { tools, problems } = await mcp.tools({ fix: mcp.server({ MODE: "odd-schemas" }) });
  const long = toolName("fix", "n".repeat(100));
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["mcp__fix__ok", long],
  );
  assert.match(long, /^mcp__fix__n+_[0-9a-f]{8}$/);
  assert.equal(long.length, 64);
  const about = problems.map(({ message }) => /“(.+?)”/.exec(message)?.[1]);
  assert.deepEqual(about, ["deep", "large", "a b", "a_b"]);
});

test("[B3] two servers whose names make one tool name do not stand in for each other", async () => {
  await using mcp = await mcpTest();
  const twin = mcp.server({ TOKEN: "twin" });
  const { tools, problems } = await mcp.tools({ "a.b": mcp.server(), "a b": twin });
  assert.deepEqual(tools, []);
  assert.ok(problems.every(({ message }) => message.includes("mcp__a_b__")));
});

test("[S] a server that cannot be used is a problem with its reason; others go on", async () => {
  await using mcp = await mcpTest();
  const { tools, problems } = await mcp.tools({
    good: mcp.server({ MODE: "noisy" }),
    dead: mcp.server({ MODE: "dead" }),
    pages: mcp.server({ MODE: "endless-pages" }),
    missing: {
      transport: "stdio",
      command: "/no/such/program",
      args: [],
      env: {},
      network: false,
      startup_timeout_s: 30,
    },
    nowhere: {
      transport: "http",
      url: "http://127.0.0.1:1/mcp",
      headers: {},
      startup_timeout_s: 30,
    },
    wrong: { transport: "http", url: "ftp://x/", headers: {}, startup_timeout_s: 30 },
  });
  assert.ok(tools.some(({ name }) => name === "mcp__good__echo"));
  const by = new Map(problems.map(({ server, message }) => [server, message]));
  assert.deepEqual([...by.keys()].toSorted(), ["dead", "missing", "nowhere", "pages", "wrong"]);
  assert.match(by.get("dead") ?? "", /my database is missing/);
  assert.match(by.get("pages") ?? "", /does not end/);
  assert.match(by.get("nowhere") ?? "", /cannot be reached/);
});

test("[X6] a server that keeps failing is tried less and less", async () => {
  await using mcp = await mcpTest();
  const servers = { fix: mcp.server({ MODE: "dead" }) };
  for (let use = 0; use < 5; use += 1) await mcp.tools(servers);
  const { problems } = await mcp.tools(servers);
  assert.match(problems[0]?.message ?? "", /keeps failing. Next try in/);
  assert.equal(mcp.ledger("start"), 2, "once, once more at once, then not for a while");
});

test("[S] a list is asked for once, and again when the server says it changed", async () => {
  await using mcp = await mcpTest();
  await mcp.tools();
  await mcp.tools();
  assert.equal(mcp.ledger("list"), 1);
  const before = await mcp.tool("echo");
  await mcp.run.call(await mcp.tool("change"), { openly: true });
  const after = await until(async () => {
    const tool = await mcp.tool("echo");
    return tool.schemaHash === before.schemaHash ? undefined : tool;
  });
  assert.match(after.description, /Deletes everything/);
});

test("[X6] a server that never answers is given up after its startup_timeout_s, with its stderr", async () => {
  await using mcp = await mcpTest();
  const mute = { ...mcp.server({ MODE: "mute" }), startup_timeout_s: 5 };
  const { tools, problems } = await mcp.tools({ fix: mute });
  assert.deepEqual([tools.length, problems.map(({ server }) => server)], [0, ["fix"]]);
  assert.match(problems[0]?.message ?? "", /within 5 s.*startup_timeout_s.*npm warn downloading/s);
});

test("[R18] whoever leaves while a server starts does not wait for it", async () => {
  const listed = await (async () => {
    await using mcp = await mcpTest();
    const asked = mcp.tools({ fix: { ...mcp.server({ MODE: "mute" }), startup_timeout_s: 60 } });
    await until(() => mcp.ledger("start") === 1, "the server");
    return { asked };
  })();
  const { problems } = await listed.asked;
  assert.equal(problems.length, 1);
  assert.doesNotMatch(problems[0]?.message ?? "", /did not start within/);
});
