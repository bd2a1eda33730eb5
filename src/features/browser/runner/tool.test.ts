// The browser's tools on a real journal: whose browser it is follows from the house, whatever dies in between.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kill } from "../../../../test/support/kill.ts";
import { isRunning } from "../../../../test/support/runs.ts";
import { toolRun, type ToolRun } from "../../../../test/support/tool-run.ts";
import { until } from "../../../../test/support/until.ts";
import { webServer } from "../../../../test/support/servers/web-server.ts";
import { browserHosts } from "../host/hosts.ts";
import { chromiumPath } from "../host/test-support.ts";
import { createBrowserTools } from "./tool.ts";

const unexpected = (message: string, error: unknown) => assert.fail(`${message}: ${String(error)}`);

function toolsOf(run: ToolRun, executable: string) {
  const { journal } = run.log;
  const allowPrivateHosts = ["127.0.0.1"];
  const hosts = browserHosts({ journal, executable, allowPrivateHosts, logError: unexpected });
  const tools = new Map(createBrowserTools(hosts).map((tool) => [tool.name, tool]));
  const use = (name: string, input: unknown) =>
    run.call(tools.get(`browser_${name}`) ?? assert.fail(name), input);
  const choose = (mode: "start" | "connect", cdp_url: string | null = null) =>
    journal.systemLog.note([
      { type: "browser.connected", payload: { by: "person", mode, cdp_url } },
    ]);
  return { hosts, use, choose, tools };
}

test("[BR1c] without a browser, or one that cannot be had, each call says what to do", async () => {
  await using run = await toolRun();
  const { hosts, use, choose } = toolsOf(run, "/nowhere/chrome");
  await using _hosts = hosts;
  assert.equal(await hosts.chosen(), false);
  const none = await use("read", {});
  assert.equal(none.error?.code, "not_connected");
  assert.match(none.error?.message ?? "", /on the page Browser/);
  await choose("start");
  assert.equal(await hosts.chosen(), true);
  const missing = await use("open", { url: "http://127.0.0.1/" });
  assert.equal(missing.error?.code, "cannot_start");
  assert.match(missing.error?.message ?? "", /\/nowhere\/chrome\) cannot be run/);
  await choose("connect", "http://127.0.0.1:1");
  const away = await use("open", { url: "http://127.0.0.1/" });
  assert.equal(away.error?.code, "cannot_start");
  assert.match(away.error?.message ?? "", /http:\/\/127\.0\.0\.1:1 could not be reached/);
});

test("[BR2e, BR5] a browser that died, or another choice, begins anew and says that the page is gone", async () => {
  await using web = await webServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<title>Quay</title><h1>Ropes</h1>");
  });
  await using run = await toolRun();
  const { hosts, use, choose } = toolsOf(run, await chromiumPath());
  await using _hosts = hosts;
  await choose("start");
  const opened = await use("open", { url: web.origin });
  assert.ok(opened.ok, opened.error?.message);
  assert.match(opened.output?.head ?? "", /^Quay\nhttp.*\nhost: 127\.0\.0\.1\n[^]*heading "Ropes"/);
  const first = hosts.pid ?? assert.fail("no host");
  kill(first, "SIGKILL");
  await until(() => !isRunning(first), "its end");
  const gone = await use("read", {});
  assert.equal(gone.error?.code, "page_gone");
  assert.ok((await use("open", { url: web.origin })).ok);
  const { result } = await use("screenshot", { full_page: true });
  const { screenshot } = result as { screenshot: { sha256: string; bytes: number } };
  assert.equal(await run.log.journal.blobs.size(screenshot.sha256), screenshot.bytes);
  const second = hosts.pid ?? assert.fail("no host");
  await choose("start"); // the same again is another choice: nothing of the old one is used
  await until(() => !isRunning(second), "the end of the old one, without a call");
  assert.equal((await use("read", {})).error?.code, "page_gone");
});

test("[BR3] what changes something says for which host, and is never repeated by itself", async () => {
  await using run = await toolRun();
  const { hosts, tools } = toolsOf(run, "/nowhere/chrome");
  await using _hosts = hosts;
  const about = [...tools.values()].map(({ name, replay, risk, inOrder, access }) => {
    const reached = access?.({ url: "https://a.example/x", host: "b.example", target: "e1" });
    const urls = reached?.map((each) => (each.kind === "network" ? each.url : each.kind));
    return `${name} ${replay} ${risk} ${inOrder} ${urls?.join() ?? "-"}`;
  });
  assert.deepEqual(about, [
    "browser_open ask network true https://a.example/x",
    "browser_read safe read true -",
    "browser_click ask network true http://b.example/",
    "browser_type ask network true http://b.example/",
    "browser_screenshot safe read true -",
  ]);
  const click = tools.get("browser_click") ?? assert.fail();
  for (const host of [
    "",
    "a b",
    "me@b.example",
    "b.example/x",
    "b.example?x",
    "b.example#",
    "\\x",
  ]) {
    assert.equal(click.input.safeParse({ host, target: "e1" }).success, false, host);
  }
});
