// Some of the writes at which `npm run test:kills` kills: all that change which files there are, and a few between them.
import assert from "node:assert/strict";
import { ON_POSTGRES } from "../support/backend.ts";
import { killOpening, openingTemplates, recordOpening } from "./killed-opening.ts";
import { needing, STRACE } from "../support/needing.ts";
import { canTrace, type TracedCall } from "../support/traced-calls.ts";

const MOVES = new Set(["unlink", "rename", "link"]);
const EACH = 2;

const test = needing(canTrace, STRACE);
if (!ON_POSTGRES)
  test("[J10d] a home that is killed while it is made, restored or migrated opens, and has lost nothing", async (t) => {
    using templates = await openingTemplates({ shortly: true });
    for (const opening of templates.openings) {
      const calls = chosen(await recordOpening(opening));
      const outcomes = await Promise.all(calls.map((call) => killOpening(opening, call)));
      const kills = outcomes.filter(({ killed }) => killed).length;
      t.diagnostic(
        `${opening.name}: ${kills} kills at ${calls.map(({ name }) => name).join(", ")}`,
      );
      assert.deepEqual(
        outcomes.filter(({ problem }) => problem !== undefined),
        [],
        opening.name,
      );
      assert.ok(kills >= calls.length / 2, `only ${kills} of ${calls.length} kills fired`);
    }
  });

/** Those of the journal's files that make, move or remove one, then others at equal distances. */
function chosen(calls: readonly TracedCall[]): TracedCall[] {
  const moves = calls.filter(({ name, text }) => MOVES.has(name) && text.includes("journal.db"));
  const step = Math.max(1, Math.floor(calls.length / EACH));
  return [
    ...new Set([...moves.slice(0, EACH), ...calls.filter((_, index) => index % step === step - 1)]),
  ];
}
