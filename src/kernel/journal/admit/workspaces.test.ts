import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../contract/store.contract.ts";
import { ApiError } from "../../events/errors.ts";

const volumes = { big: "/mnt/big" };
const DEFAULTS = { ...s.DEFAULTS, workspace: "/mnt/big/mine" };

const refused = (reason: string) => (error: unknown) =>
  error instanceof ApiError && (error.details as { reason?: string }).reason === reason;

test("[J13c] whatever comes in with a path on a volume is named by the volume", async () => {
  await using store = sqliteStore({ volumes });
  const journal = await store.connect();
  const workspaceOf = async (id: string) => (await journal.reads.session(id))?.workspace;

  await journal.commands.startRun(
    { session_id: "s1", message: "a", workspace: "/mnt/big/p" },
    s.DEFAULTS,
  );
  await journal.commands.createSession({ session_id: "s2" }, DEFAULTS);
  await journal.commands.createSession({ session_id: "s3", workspace: "big://x/./y/" }, s.DEFAULTS);
  await journal.commands.createSession({ session_id: "s4", workspace: "elsewhere:/x" }, s.DEFAULTS);
  await journal.commands.createSession({ session_id: "s5", workspace: "/home/me" }, s.DEFAULTS);
  const words = { message_id: "m", text: "hi", source: "device" };
  await journal.commands.takeChannelMessage({ session_id: "s6", ...words }, DEFAULTS);
  assert.deepEqual(await Promise.all(["s1", "s2", "s3", "s4", "s5", "s6"].map(workspaceOf)), [
    "big:/p",
    "big:/mine",
    "big:/x/y",
    "elsewhere:/x",
    "/home/me",
    "big:/mine",
  ]);

  await journal.commands.updateSession("s5", { workspace: "/mnt/big/later" });
  assert.equal(await workspaceOf("s5"), "big:/later");
  await journal.commands.createProject({ project_id: "p", name: "P", workspace: "/mnt/big/p" });
  await journal.commands.updateProject("p", { workspace: "/mnt/big/q" });
  assert.equal((await journal.reads.project("p"))?.workspace, "big:/q");
  await journal.commands.updateProject("p", { workspace: null });
  assert.equal((await journal.reads.project("p"))?.workspace, null);
  const found = await journal.reads.sessionSummaries({
    workspace: "/mnt/big/p",
    limit: 9,
    offset: 0,
  });
  assert.deepEqual(
    found.sessions.map(({ session_id }) => session_id),
    ["s1"],
  );
});

test("[J13] a search by a path on a volume finds what the volume's name finds", async () => {
  await using store = sqliteStore({ volumes });
  const journal = await store.connect();
  const run = { session_id: "s1", message: "the heron landed", workspace: "/mnt/big/p" };
  await journal.commands.startRun(run, s.DEFAULTS);
  for (const workspace of ["big:/p", "/mnt/big/p", "/mnt/big/p/"]) {
    const { hits } = await journal.reads.search({ q: "heron", limit: 5, workspace });
    assert.equal(hits.length, 1, workspace);
  }
});

test("[J13c] a place that could lead out of its volume is refused, and nothing of it is kept", async () => {
  const leaving = { session_id: "s1", workspace: "big:/a/../../etc" };
  for (const rules of [{ volumes }, {}]) {
    await using store = sqliteStore(rules);
    const journal = await store.connect();
    await assert.rejects(
      journal.commands.createSession(leaving, s.DEFAULTS),
      refused("outside_volume"),
    );
    assert.equal(await journal.reads.session("s1"), undefined);
  }
});

test("[J13] a place that holds the program is refused wherever somebody chooses one, on a volume too", async () => {
  const problem = (path: string) =>
    path === "/mnt/big/home" ? "It holds the program." : undefined;
  await using store = sqliteStore({ volumes, problem });
  const journal = await store.connect();
  await s.start(journal);
  for (const workspace of ["/mnt/big/home", "big:/home"]) {
    const choices = [
      () => journal.commands.startRun({ session_id: "s2", message: "a", workspace }, s.DEFAULTS),
      () => journal.commands.createSession({ workspace }, s.DEFAULTS),
      () => journal.commands.updateSession("s1", { workspace }),
      () => journal.commands.createProject({ name: "P", workspace }),
    ];
    for (const choose of choices) await assert.rejects(choose(), refused("unfit_workspace"));
  }
});
