import assert from "node:assert/strict";
import { test } from "node:test";
import { appDeps, TOKEN } from "../../../../test/support/app-deps.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../../journal/contract/store.contract.ts";
import { ERRORS } from "../../events/errors.ts";
import { createApp } from "../../../cli/create-app.ts";
import { NO_READS, type WorkspaceReads } from "../workspace/workspace-reads.ts";

const headers = { authorization: `Bearer ${TOKEN}`, host: "localhost:80" };

async function serving(reads?: WorkspaceReads, volumes = {}) {
  const store = sqliteStore();
  const journal = await store.connect();
  await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
  await journal.commands.createSession({ session_id: "s2", workspace: "big:/p" }, s.DEFAULTS);
  const deps = appDeps(journal, { webRoot: store.home, ...(reads && { reads }), volumes });
  const app = await createApp(deps);
  return {
    app,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

test("[H7c] whatever a reader answers is one of our codes, and what is about the reader can be tried again", async () => {
  let code = "";
  await using place = await serving({
    ...NO_READS,
    read: async () => ({ ok: false, code, message: "No." }),
  });
  const expected = {
    outside_workspace: "forbidden",
    protected: "forbidden",
    io: "forbidden",
    not_found: "not_found",
    not_regular: "invalid_request",
    too_large: "too_large",
    busy: "rate_limited",
    host_died: "unavailable",
    "from the future": "unavailable",
  } as const;
  for (const [given, answered] of Object.entries(expected)) {
    code = given;
    const reply = await place.app.inject({ url: "/api/sessions/s1/file?path=a", headers });
    const { error } = reply.json() as { error: { code: string; details: { reason: string } } };
    assert.deepEqual([error.code, error.details.reason], [answered, given]);
    assert.equal(reply.statusCode, ERRORS[answered].status);
  }
});

test("[B4] a reader is told when nobody waits any more", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  await using place = await serving({
    ...NO_READS,
    find: async ({ signal }) => {
      asked.resolve(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ok: false, code: "aborted", message: "Nobody waits." };
    },
  });
  const gone = new AbortController();
  const reply = place.app
    .inject({ url: "/api/sessions/s1/find?q=x", headers, signal: gone.signal })
    .then(
      () => "answered",
      () => "gone",
    );
  const signal = await asked.promise;
  assert.equal(signal.aborted, false);
  gone.abort();
  assert.equal(await reply, "gone");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(signal.aborted, true);
});

test("[H7c] a server without a reader says so", async () => {
  await using place = await serving();
  const reply = await place.app.inject({ url: "/api/sessions/s1/files", headers });
  assert.equal(reply.statusCode, 503);
});

test("[H7, J13] files on a volume are read where this machine has it; one it has not says so", async () => {
  const asked: string[] = [];
  const reads: WorkspaceReads = {
    ...NO_READS,
    list: async ({ workspace, path, depth, hidden }) => {
      asked.push(workspace);
      const data = { workspace, path, depth, hidden, entries: [], truncated: false };
      return { ok: true, data } as never;
    },
  };
  await using here = await serving(reads, { big: "/mnt/big" });
  const seen = await here.app.inject({ url: "/api/sessions/s2/files", headers });
  assert.equal(seen.statusCode, 200);
  assert.deepEqual(asked, ["/mnt/big/p"]);

  await using elsewhere = await serving(reads);
  for (const url of ["files", "file?path=a", "find?q=a"]) {
    const reply = await elsewhere.app.inject({ url: `/api/sessions/s2/${url}`, headers });
    assert.equal(reply.statusCode, ERRORS.volume_unreachable.status);
    const message = "This server does not reach the volume big.";
    const details = { volume: "big" };
    assert.deepEqual(reply.json().error, { code: "volume_unreachable", message, details });
  }
  assert.deepEqual(asked, ["/mnt/big/p"]);
});
