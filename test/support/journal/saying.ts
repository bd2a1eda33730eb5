// A process that acts as a text-only device: it sends messages and answers requests until it is killed. It reports each
// message to its parent before sending it.
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import { openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import * as d from "../drafts.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

export type Saying = { readonly message_id: string; readonly text: string };

const [home = ""] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
await using journal = await openSqlite({ features: FEATURES, home, name: "saying" });

async function say(message_id: string, text: string): Promise<void> {
  process.send?.({ message_id, text } satisfies Saying);
  const said = { session_id: "s1", message_id, text, source: "terminal" };
  await journal.commands.takeChannelMessage(said, s.DEFAULTS);
  await journal.commands.markReplied(said);
}

for (let round = 1; ; round += 1) {
  await say(`start_${round}`, `round ${round}`);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.clarifyAsked(`cl_${round}`, null));
  await say(`answer_${round}`, `so be it ${round}`);
  await s.end(journal, claim);
}
