// S, R14: a known secret is in no event, no list and no index, whichever writer sent it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import type { Draft } from "../events/events.ts";
import * as s from "../journal/contract/store.contract.ts";
import { redactDraft } from "./draft.ts";
import { createRedactor } from "./redact.ts";
import { journalPath, openSqlite } from "../journal/sqlite/sqlite.ts";
import { FEATURES } from "../../features/journal-features.ts";

const SECRET = 'sk-"quoted"\n7f3a9c';

test("[S, R14] a secret is in no event and no list, also when JSON spells it differently", async () => {
  const home = mkdtempSync(join(tmpdir(), "qd-"));
  try {
    const redactor = createRedactor([{ name: "KEY", value: SECRET }]);
    {
      await using journal = await openSqlite({ features: FEATURES, home, redactor });
      const runId = await s.start(journal, {
        message: `use ${SECRET}`,
        instructions: SECRET,
        metadata: { [SECRET]: { deep: [SECRET] } },
      });
      const claim = await s.claimed(journal);
      await s.write(journal, claim, d.started(), d.said("m1", `it was ${SECRET}.`));
      await journal.commands.queueMessage(runId, {
        message: SECRET,
        mode: "steer",
        message_id: "k",
      });
      await journal.commands.editMessage({ runId, messageId: "k" }, { text: `not ${SECRET}` });
      await journal.commands.createProject({ name: "P", instructions: SECRET });
      assert.deepEqual(await journal.upkeep.verify(), []);
      const text = JSON.stringify([await s.sessionEvents(journal), await s.lists(journal)]);
      assert.equal(text.includes("7f3a9c"), false);
      assert.ok(text.includes("it was "));
      const { hits } = await journal.reads.search({ q: "7f3a9c", limit: 5 });
      assert.deepEqual(hits, []);
    }
    const file = readFileSync(journalPath(home));
    assert.equal(file.includes("7f3a9c"), false, "nor anywhere else in the file");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("[S] a draft without a secret stays the same object", () => {
  const draft: Draft = d.intent("c1");
  assert.equal(
    redactDraft(draft, (text) => text.replaceAll("xyz", "")),
    draft,
  );
  const cut = redactDraft(draft, (text) => text.replaceAll("ls", "**"));
  assert.notEqual(cut, draft);
  assert.equal(JSON.stringify(cut).includes('"ls"'), false);
});
