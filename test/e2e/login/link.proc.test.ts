// A login link lives a minute. Whoever opens it later is told so, and finds a new one at the terminal where the old
// one was printed: on a real pseudo-terminal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { spawn } from "@lydell/node-pty";
import { call } from "../../support/http.ts";
import { MAIN, newTestHome, quarterdeck, startProgram } from "../../support/program.ts";
import { rawSql, type Row } from "../../support/journal/raw-journal.ts";
import { until } from "../../support/until.ts";

const linksIn = (text: string) => [...text.matchAll(/(http:\S+)\/#login=([\w-]+)/g)];

async function login(url: string, code: string) {
  return call({ url, token: "" }, "POST", "/api/auth/login", { code }, { authorization: "" });
}

test("[A3] finding A13: a link lives a minute, and says so", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  assert.match(program.output(), /works once, within 60 seconds/);
  const { stdout, stderr } = await quarterdeck(["token", "--link", "--home", place.home]);
  assert.match(stdout, /^http:\S+#login=\S+\n$/, "nothing but the link: scripts read it");
  assert.match(stderr, /works once, within 60 seconds/);
  const codes = await rawSql(place, "SELECT expires_at FROM login_codes");
  const now = Date.now() / 1_000;
  const isShort = ({ expires_at }: Row) => Number(expires_at) < now + 61;
  assert.equal(codes.length, 2);
  assert.ok(codes.every(isShort), JSON.stringify(codes));

  await rawSql(place, "UPDATE login_codes SET expires_at = expires_at - 61");
  const code = linksIn(stdout)[0]?.[2] ?? "";
  const late = await login(program.url, code);
  assert.equal(late.status, 401);
  assert.match(late.body.error.message, /^This link is older than a minute\. "quarterdeck token/);
  assert.equal(linksIn(program.output()).length, 1, "no link in what is no terminal");
});

test("[A3] who opens a link too late finds a new one in the terminal, once", async () => {
  using place = newTestHome();
  const args = ["--home", place.home, "--workspace", place.workspace, "--port", "0"];
  const child = spawn(process.execPath, [MAIN, "up", ...args], { cols: 200, rows: 24 });
  let shown = "";
  child.onData((chunk) => (shown += chunk));
  const ended = new Promise<void>((resolve) => child.onExit(() => resolve()));
  try {
    const [, url = "", first = ""] = await until(() => linksIn(shown)[0], "a link");
    await rawSql(place, "UPDATE login_codes SET expires_at = expires_at - 61");
    const late = await login(url, first);
    assert.equal(late.status, 401);
    assert.match(late.body.error.message, /A new one was printed where Quarterdeck runs/);
    const [, same, second = ""] = await until(() => linksIn(shown)[1], "another link");
    assert.equal(same, url);
    assert.equal((await login(url, second)).status, 200);
    assert.match((await login(url, first)).body.error.message, /used already/);
    assert.equal(linksIn(shown).length, 2);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});
