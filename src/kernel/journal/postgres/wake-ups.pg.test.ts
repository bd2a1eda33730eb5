// Which process gets which wake-ups.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sharedPostgres } from "../../../../test/support/postgres/postgres.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../contract/store.contract.ts";
import type { Journal, Wake } from "../journal.ts";
import { openPostgres } from "./postgres.ts";
import { FEATURES } from "../../../features/journal-features.ts";

function heardBy(journal: Journal): Wake[] {
  const heard: Wake[] = [];
  journal.watch((wake) => {
    if (wake !== "all") heard.push(wake);
  });
  return heard;
}

test("[J11a, J11b] a runner hears of work and of what people do, a window of every word", async () => {
  const server = await sharedPostgres();
  const url = await server.database();
  {
    await using writer = await openPostgres({
      features: FEATURES,
      url,
      name: "writer",
      windows: false,
    });
    await using window = await openPostgres({ features: FEATURES, url, name: "window" });
    await using runner = await openPostgres({
      features: FEATURES,
      url,
      name: "runner",
      windows: false,
    });
    const [shown, worked] = [heardBy(window), heardBy(runner)];
    const runId = await s.start(writer, { session_id: "s1" });
    const claim = await s.claimed(writer);
    const seqs = (heard: readonly Wake[]) => heard.map(({ seq }) => seq);
    await s.write(writer, claim, d.started(), d.token("m", "one "));
    await until(() => seqs(shown).at(-1) === 4, "the words, in a window");
    await window.commands.cancelRun(runId, {});
    await until(() => seqs(worked).at(-1) === 5, "the cancel, in a runner");
    await s.write(writer, claim, d.done(6, "cancelled"));
    await until(() => seqs(worked).at(-1) === 6, "the end, in a runner");
    await until(() => seqs(shown).at(-1) === 6, "the end, in a window");
    assert.ok(!seqs(worked).includes(4), "words are no runner's affair");
    assert.ok(worked.at(-1)?.work);
  }
  await server.drop(url);
});
