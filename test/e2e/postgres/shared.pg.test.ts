// Two machines on one database: two homes, two servers, one token, one key for notifications, one login.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { sharedPostgres } from "../../support/postgres/postgres.ts";
import { openServer } from "../../support/pair.ts";

import { newTestHome, quarterdeck } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const postgres = await sharedPostgres();
const database = await postgres.database();
const machines = [newTestHome(), newTestHome(), newTestHome()] as const;
after(async () => {
  for (const server of [first, second]) await server[Symbol.asyncDispose]();
  for (const machine of machines) machine[Symbol.dispose]();
  await postgres.drop(database);
});
const env = { QUARTERDECK_DATABASE_URL: database };
const [one, two, third] = machines;
const [first, second] = await Promise.all([openServer(one, { env }), openServer(two, { env })]);
const ask = (...args: string[]) => quarterdeck([...args, "--home", third.home], { env });
const statusOf = async (server: Server) => (await call(server, "GET", "/api/status")).status;

test("[A2, A3] one token opens every machine, and a code is taken once among all of them", async () => {
  assert.equal(first.token, second.token);
  assert.equal((await ask("token")).stdout.trim(), first.token);
  assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200]);
  for (const { home } of machines) assert.equal(existsSync(join(home, "token")), false);

  const link = await ask("token", "--link");
  const code = /#login=(\S+)/.exec(link.stdout)?.[1] ?? "";
  const anonymous = { authorization: "" };
  const login = (server: Server) =>
    call(server, "POST", "/api/auth/login", { code }, anonymous).then(({ status }) => status);
  assert.deepEqual((await Promise.all([login(first), login(second)])).toSorted(), [200, 401]);
});

test("[N3a] every machine signs notifications with the same key", async () => {
  const keys = await Promise.all(
    [first, second].map(async (server) => {
      const { body } = await call<{ public_key: string }>(server, "GET", "/api/push");
      return body.data.public_key;
    }),
  );
  assert.match(keys[0] ?? "", /^[\w-]{80,}$/);
  assert.equal(keys[0], keys[1]);
  for (const { home } of machines) assert.equal(existsSync(join(home, "push-keys.json")), false);
});

test("[A3a] a rotated token is noticed by every server and closes what the old one opened", async () => {
  const { run_id } = await startRun(first, "say never started: there is no runner");
  const streams = [first, second].map((server) => readEvents(server, `/api/runs/${run_id}/events`));
  const rotated = await ask("token", "--rotate");
  assert.deepEqual(
    (await Promise.all(streams)).map(({ ended }) => ended),
    [true, true],
  );
  const token = rotated.stdout.trim();
  assert.notEqual(token, first.token);
  for (const { url } of [first, second]) {
    assert.equal(await statusOf({ url, token: first.token }), 401);
    assert.equal(await statusOf({ url, token }), 200);
  }
});

test("[A2] API_SERVER_KEY wins over the token of the database, and cannot be rotated", async () => {
  const fixed = { ...env, API_SERVER_KEY: "fixed-by-the-person-who-started-it" };
  await using server = await openServer(one, { env: fixed });
  assert.equal(await statusOf(server), 200);
  const shared = (await ask("token")).stdout.trim();
  assert.equal(await statusOf({ ...server, token: shared }), 401);
  const rotated = await quarterdeck(["token", "--rotate", "--home", one.home], { env: fixed });
  assert.deepEqual([rotated.code, rotated.stderr], [2, "The token is fixed by API_SERVER_KEY.\n"]);
  assert.equal((await ask("token")).stdout.trim(), shared, "nothing was changed");
});

test("[S] neither the token, also a new one, nor the database's password is journaled or printed", async () => {
  const server = { ...first, token: (await ask("token")).stdout.trim() };
  const { password } = new URL(database);
  const said = async (token: string) => {
    const { run_id } = await startRun({ ...server, token }, `say ${token} ${password} ${database}`);
    const answer = await call({ ...server, token }, "GET", `/api/runs/${run_id}`);
    return JSON.stringify(answer.body);
  };
  const before = await said(server.token);
  assert.match(
    before,
    /say \[redacted:token\] \[redacted:database-password\] \[redacted:database-\w+\]/,
  );
  // A wrong token counts as a failed login, so nobody tries the new one before the old one's streams have ended.
  const { run_id } = await startRun(server, "say never started");
  const closed = readEvents(server, `/api/runs/${run_id}/events`);
  const token = (await ask("token", "--rotate")).stdout.trim();
  assert.equal((await closed).ended, true);
  // The part that checks tokens may know it a moment before the part that hides it.
  const after = await until(async () => {
    const text = await said(token);
    return text.includes(token) ? undefined : text;
  }, "the new token to be hidden");
  assert.ok(!after.includes(password));

  const outputs = [
    server.output(),
    ...(await Promise.all(
      [["status"], ["doctor"], ["database", "status"], ["status", "--json"]].map(async (args) => {
        const { stdout, stderr } = await ask(...args);
        return stdout + stderr;
      }),
    )),
  ];
  for (const text of outputs) assert.ok(!text.includes(password), text);
  for (const name of readdirSync(one.home)) {
    const path = join(one.home, name);
    const text = /\.(json|db)$/.test(name) ? readFileSync(path, "latin1") : "";
    assert.ok(!text.includes(password), path);
  }
});
