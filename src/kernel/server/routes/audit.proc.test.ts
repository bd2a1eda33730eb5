// The audit over HTTP: every filter, every refusal, and what logging in leaves behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../../../../test/support/http.ts";
import { startServe } from "../../../../test/support/processes.ts";
import { newTestHome, quarterdeck } from "../../../../test/support/program.ts";

type Entry = { seq: number; type: string; payload: Record<string, unknown> };
type Answer = { entries: Entry[]; next: number | null; types: string[] };

test("[U2, U3, H1] logins, wrong codes and new tokens are in the audit, found by every filter", async () => {
  using place = newTestHome();
  await using server = await startServe(place);
  const audit = async (query = "") =>
    (await call(server, "GET", `/api/audit${query}`)).body.data as unknown as Answer;
  assert.deepEqual((await audit()).entries, []);

  const link = await quarterdeck(["token", "--link", "--home", place.home]);
  const code = /#login=(\S+)/.exec(link.stdout)?.[1];
  const noToken = { authorization: "" };
  const post = (body: unknown) => call(server, "POST", "/api/auth/login", body, noToken);
  assert.equal((await post({ code })).status, 200);
  assert.equal((await post({ code: "wrong" })).status, 401);

  const { entries, next, types } = await audit();
  assert.deepEqual(
    entries.map(({ type }) => type),
    ["login.failed", "login.succeeded", "house.opened"],
  );
  assert.equal(next, null);
  assert.ok(types.includes("approval.answered"));
  assert.ok(!JSON.stringify(entries).includes(String(code)), "no secret stands in it");

  const seqs = async (query: string) => (await audit(query)).entries.map(({ seq }) => seq);
  assert.deepEqual(await seqs("?types=login"), [3, 2]);
  assert.deepEqual(await seqs("?types=login.failed,house"), [3, 1]);
  assert.deepEqual(await seqs("?types=nothing"), []);
  assert.deepEqual(await seqs("?by=person"), [2]);
  assert.deepEqual(await seqs("?before=3"), [2, 1]);
  assert.deepEqual(await seqs("?upto=1000"), []);
  assert.deepEqual(await seqs("?since=1000"), [3, 2, 1]);
  const first = await audit("?limit=2");
  assert.deepEqual([first.entries.length, first.next], [2, 2]);

  for (const wrong of ["limit=0", "limit=201", "before=0", "before=x", "since=-1", "by="]) {
    const refused = await call(server, "GET", `/api/audit?${wrong}`);
    assert.equal(refused.body.error.code, "invalid_request", wrong);
  }
  assert.equal((await call(server, "GET", "/api/audit", undefined, noToken)).status, 401);
  assert.equal((await call(server, "GET", "/api/sessions/$house")).status, 400);
});
