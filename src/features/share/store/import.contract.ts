// A recording from elsewhere is a session of one event: once per recording, and nothing ever runs in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as s from "../../../kernel/journal/contract/store.contract.ts";

const request = (again = false) => ({ title: "From elsewhere", from: s.FROM, again });

export function importContract(name: string, open: s.OpenStore): void {
  test(`${name} [Y5] a recording is one session, whoever brings it and however often at once`, async () => {
    await using store = await open();
    const journals = await Promise.all([store.connect(), store.connect()]);
    const outcomes = await Promise.all(
      [...journals, ...journals].map((journal) =>
        journal.commands.importSession(request(), s.DEFAULTS),
      ),
    );
    const { session_id } = outcomes[0] ?? {};
    assert.ok(outcomes.every((outcome) => outcome.session_id === session_id));
    assert.deepEqual(s.statuses(outcomes).toSorted(), [
      "accepted",
      "duplicate",
      "duplicate",
      "duplicate",
    ]);
    const [journal] = journals;
    const other = await journal.commands.importSession(request(true), s.DEFAULTS);
    assert.equal(other.status, "accepted");
    assert.notEqual(other.session_id, session_id);
    const [created] = await s.sessionEvents(journal, session_id ?? "");
    assert.ok(created?.type === "session.created");
    assert.deepEqual(created.payload.imported_from, s.FROM);
    assert.equal((await journal.reads.session(session_id ?? ""))?.source, "import");
  });

  test(`${name} [Y5d, C16] one that was deleted is in the lists again when it is imported again`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const { session_id } = await journal.commands.importSession(request(), s.DEFAULTS);
    await journal.commands.updateSession(session_id ?? "", { deleted: true });
    assert.deepEqual(await journal.reads.sessions({ limit: 5, offset: 0 }), []);
    const outcome = await journal.commands.importSession(request(), s.DEFAULTS);
    assert.deepEqual([outcome.status, outcome.session_id], ["duplicate", session_id]);
    const listed = await journal.reads.sessions({ limit: 5, offset: 0 });
    assert.deepEqual(
      listed.map((session) => session.session_id),
      [session_id],
    );
  });

  test(`${name} [Y6a, Y6b] nothing runs in it, by whatever command; its name and place in lists can change`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const { session_id } = await journal.commands.importSession(request(), s.DEFAULTS);
    const sessionId = session_id ?? "";
    const refused = { code: "forbidden" };
    const start = { message: "go", session_id: sessionId };
    await assert.rejects(journal.commands.startRun(start, s.DEFAULTS), refused);
    assert.equal((await journal.commands.compress(sessionId, {}))?.accepted ?? false, false);
    assert.equal((await journal.commands.branch(sessionId, {}))?.status, "not_active");
    assert.equal(await s.claimNext(journal), undefined);
    assert.equal(
      (await journal.commands.updateTitle(sessionId, { title: "Mine" }))?.status,
      "accepted",
    );
    assert.equal(
      (await journal.commands.updateSession(sessionId, { pinned: true }))?.status,
      "accepted",
    );
    assert.deepEqual(await journal.reads.runsOf(sessionId), []);
  });
}
