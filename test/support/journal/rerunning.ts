// A process that reruns a message again and again until it is killed. It reports each command to its parent before
// sending it.
import { openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import * as d from "../drafts.ts";
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

const [home = ""] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
await using journal = await openSqlite({ features: FEATURES, home, name: "rerunning" });
let runId = await s.exchange(journal, "begin", d.changed("c0", "a.txt"));
for (let round = 1; ; round += 1) {
  const message_id = `k${round}`;
  process.send?.({ runId, message_id });
  const outcome = await journal.commands.rerun(runId, {
    message: `round ${round}`,
    files: true,
    message_id,
  });
  const rollback = await s.claimed(journal);
  await s.end(journal, rollback);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.changed("c1", "a.txt"));
  await s.end(journal, claim);
  runId = outcome?.run_id ?? "";
}
