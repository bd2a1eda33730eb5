// What the journal says for counters and gauges, cheaply: everything older than a day is summed once, for its sums
// change no more; a scrape adds what came since.
import type { InsightFigures, InsightRow } from "../../records.ts";
import type { JournalFigures } from "../../store/insights.ts";
import type { Journal } from "../../../../kernel/journal/journal.ts";
import { runners } from "../../../../kernel/server/routes/status.ts";
import { slotOf } from "../../store/projection.ts";
import { insightStore } from "../../store/store.ts";

const SLOTS_A_DAY = 96;
const AGAIN_AFTER_SLOTS = 24; // what is added per scrape stays small
const EVERY_MODEL = 100_000;
const PROVIDERS = new Set(["anthropic", "openai", "google", "ollama", "lmstudio", "demo"]);

type Sums = { -readonly [Name in keyof InsightFigures]: number };
export type Emitted = Omit<JournalFigures, "events"> & {
  readonly events: number; // of all runs, ever
  readonly byProvider: ReadonlyMap<string, Sums>;
  readonly uncounted: number;
  readonly runners: number;
};
type Base = {
  readonly to: number;
  readonly models: readonly InsightRow[];
  readonly whole: boolean;
};

export function journalTeller(journal: Journal, now: () => number): () => Promise<Emitted> {
  let base: Base | undefined;
  return async () => {
    const slot = slotOf(now());
    const uncounted = await insightStore(journal).uncountedRuns();
    if (!base?.whole || slot - base.to > SLOTS_A_DAY + AGAIN_AFTER_SLOTS) {
      const to = slot - SLOTS_A_DAY;
      const { rows } = await insightStore(journal).insightGroups("model", {
        from: 0,
        to,
        limit: EVERY_MODEL,
      });
      base = { to, models: rows, whole: uncounted === 0 };
    }
    const since = { from: base.to, to: slot + SLOTS_A_DAY, limit: EVERY_MODEL };
    const { rows: recent } = await insightStore(journal).insightGroups("model", since);
    const { events, ...open } = await insightStore(journal).journalFigures(base.to);
    const before = base.models.reduce((sum, model) => sum + model.events, 0);
    const byProvider = summed([...base.models, ...recent]);
    const { length } = await runners(journal);
    return { ...open, events: before + events, byProvider, uncounted, runners: length };
  };
}

/** A model's name may be anybody's: a label is one of a few. */
function summed(models: readonly InsightRow[]): ReadonlyMap<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const { key, title: _title, deleted: _deleted, ...figures } of models) {
    const [name = ""] = key.split("/");
    const provider = PROVIDERS.has(name) ? name : "other";
    const sum = sums.get(provider);
    const known = { ...figures, cost_usd: figures.cost_usd ?? 0 };
    if (!sum) sums.set(provider, known);
    else for (const each of Object.keys(known) as (keyof Sums)[]) sum[each] += known[each];
  }
  return sums;
}
