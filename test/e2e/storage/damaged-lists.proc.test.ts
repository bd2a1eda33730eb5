// Lists keep copies of texts. One that a disk has changed is not shown, doctor tells of it, and the events bring it back.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onSqlite as test } from "../../support/backend.ts"; // Postgres has checksums of its own, for every page.
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";

/** As a disk would: without asking the triggers. */
function damage(home: string, table: string, change: string): void {
  using db = new DatabaseSync(join(home, "journal.db"));
  const trigger = `${table}_row_copy`;
  const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(trigger) ?? {};
  db.exec(`DROP TRIGGER ${trigger}`);
  assert.equal(db.prepare(`UPDATE ${table} SET ${change}`).run().changes, 1);
  db.exec(sql as string);
}

test("[J7a, J7b, D7] a changed copy of a text is not served, doctor finds it, and --rebuild brings it back", async () => {
  using place = newTestHome();
  const { home } = place;
  let session = "";
  const shown = async (program: Server) => {
    const paths = [`/api/gui/sessions/${session}`, "/api/sessions", `/api/sessions/${session}`];
    const answers = await Promise.all(paths.map((path) => call(program, "GET", path)));
    return JSON.stringify(answers.map(({ body }) => body));
  };
  {
    await using program = await openPair(place);
    const started = await startRun(program, "say the harbour is calm");
    session = started.session_id as string;
    await followRun(() => program, started.run_id);
    assert.match(await shown(program), /the harbour is calm/);
  }
  damage(home, "messages", "text = replace(text, 'calm', 'cold') WHERE role = 'assistant'");
  damage(home, "sessions", "title = replace(title, 'calm', 'cold') WHERE title LIKE '%calm%'");
  {
    await using program = await openPair(place);
    assert.doesNotMatch(await shown(program), /harbour is cold/);
  }
  const doctor = (...flags: string[]) =>
    quarterdeck(["doctor", "--port", "0", "--home", home, ...flags]);
  const found = await doctor();
  assert.equal(found.code, 1);
  assert.match(found.stdout, /PROBLEM {2}lists: .*messages: 1 rows.*sessions: 1 rows/s);
  assert.equal((await doctor("--rebuild")).code, 0);
  await using program = await openPair(place);
  assert.match(await shown(program), /harbour is calm/);
});
