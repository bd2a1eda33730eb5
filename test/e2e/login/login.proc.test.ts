// Login codes, limits on guessing, and the ways to run with a given token or with none.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, readEvents, startRun } from "../../support/http.ts";
import { newTestHome, quarterdeck, startProgram } from "../../support/program.ts";
import { openServer } from "../../support/pair.ts";

import { until } from "../../support/until.ts";

const noToken = { authorization: "" };

test("[A3] a login code works once, also across a kill of the server", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const printed = /#login=(\S+)/.exec(program.output())?.[1] ?? "";
  assert.notEqual(printed, "");
  const [pid] = await program.kill("serve");
  await until(async () => {
    const { serve } = await program.status();
    return serve !== null && serve.pid !== pid;
  }, "the server to be back");

  const attempts = await Promise.all(
    [1, 2, 3].map(() => call(program, "POST", "/api/auth/login", { code: printed }, noToken)),
  );
  assert.deepEqual(attempts.map(({ status }) => `${status}`).toSorted(), ["200", "401", "401"]);
  await program.kill("serve");
  const later = await until(
    () =>
      call(program, "POST", "/api/auth/login", { code: printed }, noToken).catch(() => undefined),
    "the server to be back",
  );
  assert.equal(later.status, 401, "used before the kill, and not again after it");
});

test("[A4] finding A11: wrong codes are limited per address; a right token or link never has to wait", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  const attempt = (code: string) => call(server, "POST", "/api/auth/login", { code }, noToken);
  const statuses: number[] = [];
  for (let tries = 0; tries < 12; tries += 1) {
    const answer = await attempt("wrong");
    statuses.push(answer.status);
    if (answer.status !== 429) continue;
    assert.equal(answer.body.error.code, "rate_limited");
    assert.ok(Number(answer.body.error.details["retry_after_s"]) > 0);
  }
  assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429, 429]);
  for (let tries = 0; tries < 30; tries += 1) {
    const guessed = await call({ ...server, token: `guess ${tries}` }, "GET", "/api/status");
    assert.equal(guessed.status, 401);
  }
  assert.equal((await call(server, "GET", "/api/status")).status, 200, "the right token");
  const link = await quarterdeck(["token", "--link", "--home", place.home]);
  const fresh = await attempt(/#login=(\S+)/.exec(link.stdout)?.[1] ?? "");
  assert.equal(fresh.status, 200, "a fresh link");
});

test("[A4] a key that a person chose and that could be guessed is limited", async () => {
  using place = newTestHome();
  const env = { API_SERVER_KEY: "hunter2" };
  await using server = await openServer(place, { env });
  const guess = async (token: string) =>
    (await call({ ...server, token }, "GET", "/api/status")).status;
  for (let tries = 0; tries < 10; tries += 1) assert.equal(await guess(`guess ${tries}`), 401);
  assert.equal(await guess("hunter2"), 429, "whoever guesses would not see a right one either");
});

test("[S] the token is not journaled: of the first start, and after it was rotated", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  const said = async (token: string) => {
    const { run_id } = await startRun({ ...server, token }, `say ${token}`);
    const answer = await call({ ...server, token }, "GET", `/api/runs/${run_id}`);
    return JSON.stringify(answer.body);
  };
  assert.match(await said(server.token), /say \[redacted:token\]/);
  const { run_id } = await startRun(server, "say never started");
  const closed = readEvents(server, `/api/runs/${run_id}/events`);
  const rotated = await quarterdeck(["token", "--rotate", "--home", place.home]);
  assert.equal((await closed).ended, true, "the new one counts");
  assert.match(await said(rotated.stdout.trim()), /say \[redacted:token\]/);
});

test("[A2] processes that begin at once in a new home have one token", async () => {
  using place = newTestHome();
  const printed = await Promise.all(
    Array.from({ length: 6 }, () => quarterdeck(["token", "--home", place.home])),
  );
  assert.deepEqual(
    new Set(printed.map(({ code, stderr }) => `${code} ${stderr}`)),
    new Set(["0 "]),
  );
  assert.equal(new Set(printed.map(({ stdout }) => stdout)).size, 1);
  writeFileSync(join(place.home, "token"), "\n"); // by a person, or a disk that was full
  const { stdout } = await quarterdeck(["token", "--home", place.home]);
  assert.match(stdout, /^[\w-]{43}\n$/);
});

test("[A2] API_SERVER_KEY is the token, and cannot be rotated", async () => {
  using place = newTestHome();
  const env = { API_SERVER_KEY: "fixed-by-the-person-who-started-it" };
  await using server = await openServer(place, { env });
  assert.equal((await call(server, "GET", "/api/status")).status, 200);
  assert.equal((await call({ ...server, token: "other" }, "GET", "/api/status")).status, 401);
  const printed = await quarterdeck(["token", "--home", place.home], { env });
  assert.equal(printed.stdout.trim(), env.API_SERVER_KEY);
  const rotated = await quarterdeck(["token", "--rotate", "--home", place.home], { env });
  assert.equal(rotated.code, 2);
  assert.match(rotated.stderr, /^The token is fixed by API_SERVER_KEY\.\n$/);
});

test("[A2] --no-auth works on loopback and is refused everywhere else", async () => {
  using place = newTestHome();
  await using server = await openServer(place, { args: ["--no-auth"] });
  const open = await call(server, "GET", "/api/status", undefined, noToken);
  assert.equal(open.status, 200);
  const evil = { ...noToken, origin: "http://evil.example" };
  const foreign = await call(server, "POST", "/api/runs", { message: "x" }, evil);
  assert.equal(foreign.status, 403, "other sites still get nowhere");

  for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.com"]) {
    for (const command of ["up", "serve"]) {
      const refused = await quarterdeck([
        command,
        "--no-auth",
        "--host",
        host,
        "--home",
        place.home,
      ]);
      assert.equal(refused.code, 2, `${command} ${host}`);
      assert.equal(refused.stderr, `--no-auth works only on loopback, not on ${host}.\n`);
      assert.equal(refused.stdout, "");
    }
  }
});
