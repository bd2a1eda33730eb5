import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { claimed, payloadsOf, start } from "../../journal/contract/store.contract.ts";
import { RunLog } from "./run-log.ts";
import { settleCall } from "./settle-call.ts";
import { defineForeignTool, OutcomeUnknown } from "../tools/tool.ts";

test("[R4, C5] a second attempt of which nothing is known asks anew: an answer to the first is none to it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const runId = await start(journal);
  const lost = await claimed(journal);
  for (const draft of [d.started(), d.turnStarted(1), d.said("m1", ""), d.intent("c1")]) {
    await journal.append(lost, [draft]);
  }
  await journal.append(lost, [d.toolStarted("c1")]);
  const claim = await claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
  const stop = new AbortController();
  using log = await RunLog.open(journal, claim, stop.signal);
  const name = (await payloadsOf(journal, runId, "tool.intent"))[0]?.["name"] as string;
  const tool = defineForeignTool({
    name,
    description: "may have happened",
    input: z.looseObject({}),
    risk: "execute",
    replay: "ask",
    label: () => name,
    execute: async () => {
      throw new OutcomeUnknown("Nobody answered");
    },
  });
  const unused = () => assert.fail("nothing is reached for");
  const policy = { rules: [], budget: null, approvalExpiresS: null, titles: false };
  const deps = { tools: new Map([[name, tool]]), host: unused, claimedUntil: unused, policy };
  const over = settleCall(log, "c1", deps).catch(() => undefined);

  const card = async (many: number) => {
    for (;;) {
      const asked = await payloadsOf(journal, runId, "tool.outcome_unknown");
      if (asked.length === many) return asked.at(-1)?.["request_id"] as string;
      await log.change();
    }
  };
  const first = await card(1);
  const answer = (clarifyId: string, response: string) =>
    journal.commands.respondClarify({ runId, clarifyId }, { response, by: "person" });
  assert.equal((await answer(first, "retry"))?.status, "accepted");
  const second = await card(2);
  assert.equal((await answer(first, "mark_done"))?.status, "conflict");
  assert.notEqual(second, first);
  stop.abort(new Error("enough"));
  await over;
});
