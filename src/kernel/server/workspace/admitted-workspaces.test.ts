import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/sqlite-store.ts";
import * as s from "../../journal/contract/store.contract.ts";
import { ApiError } from "../../events/errors.ts";
import { admitting } from "./admitted-workspaces.ts";

const VOLUMES = { big: "/mnt/big" };
const DEFAULTS = { ...s.DEFAULTS, workspace: "/mnt/big/mine" };

test("[J13] whatever comes in with a path on a volume is named by the volume", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const server = admitting(journal, VOLUMES);
  const workspaceOf = async (id: string) => (await journal.session(id))?.workspace;

  await server.startRun({ session_id: "s1", message: "a", workspace: "/mnt/big/p" }, s.DEFAULTS);
  await server.createSession({ session_id: "s2" }, DEFAULTS);
  await server.createSession({ session_id: "s3", workspace: "big://x/./y/" }, s.DEFAULTS);
  await server.createSession({ session_id: "s4", workspace: "elsewhere:/x" }, s.DEFAULTS);
  await server.createSession({ session_id: "s5", workspace: "/home/me" }, s.DEFAULTS);
  const words = { message_id: "m", text: "hi", source: "device" };
  await server.takeChannelMessage({ session_id: "s6", ...words }, DEFAULTS);
  assert.deepEqual(await Promise.all(["s1", "s2", "s3", "s4", "s5", "s6"].map(workspaceOf)), [
    "big:/p",
    "big:/mine",
    "big:/x/y",
    "elsewhere:/x",
    "/home/me",
    "big:/mine",
  ]);

  await server.updateSession("s5", { workspace: "/mnt/big/later" });
  assert.equal(await workspaceOf("s5"), "big:/later");
  await server.createProject({ project_id: "p", name: "P", workspace: "/mnt/big/p" });
  await server.updateProject("p", { workspace: "/mnt/big/q" });
  assert.equal((await journal.project("p"))?.workspace, "big:/q");
  await server.updateProject("p", { workspace: null });
  assert.equal((await journal.project("p"))?.workspace, null);
  const found = await server.sessionSummaries({ workspace: "/mnt/big/p", limit: 9, offset: 0 });
  assert.deepEqual(
    found.sessions.map(({ session_id }) => session_id),
    ["s1"],
  );
});

test("[J13] a search by a path on a volume finds what the volume's name finds", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const server = admitting(journal, VOLUMES);
  const run = { session_id: "s1", message: "the heron landed", workspace: "/mnt/big/p" };
  await server.startRun(run, s.DEFAULTS);
  for (const workspace of ["big:/p", "/mnt/big/p", "/mnt/big/p/"]) {
    const { hits } = await server.search({ q: "heron", limit: 5, workspace });
    assert.equal(hits.length, 1, workspace);
  }
});

test("[J13] a place that could lead out of its volume is refused, and nothing of it is kept", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const leaving = { session_id: "s1", workspace: "big:/a/../../etc" };
  for (const server of [admitting(journal, VOLUMES), admitting(journal)]) {
    await assert.rejects(
      async () => server.createSession(leaving, s.DEFAULTS),
      (error) => error instanceof ApiError && error.code === "invalid_request",
    );
  }
  assert.equal(await journal.session("s1"), undefined);
});
