// Context windows and prices. The data file is what the authors knew on a date; models.json in the home corrects
// and extends it. What is in neither is null and is shown as unknown: nobody is billed by a guess.
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import builtIn from "./model-data.json" with { type: "json" };
import { ModelError, type FileKind, type Price } from "./model.ts";

const Usd = z.number().nonnegative();
const rates = {
  input: Usd,
  output: Usd,
  cachedInput: Usd.exactOptional(),
  cacheWrite: Usd.exactOptional(),
};
const Entry = z.object({
  provider: z.string().min(1),
  id: z.string().min(1), // exact, or with a date behind it; one that ends in * is a prefix
  context_window: z.int().positive().nullable().exactOptional(), // null: nobody knows
  price: z
    .object({
      ...rates,
      longPrompt: z.object({ ...rates, above: z.int().positive() }).exactOptional(),
    })
    .nullable()
    .exactOptional(),
  reads: z.array(z.enum(["image", "pdf", "audio"])).exactOptional(), // besides words
});
type Entry = z.infer<typeof Entry>;
const ModelData = z.object({ models: z.array(Entry) });

const BUILT_IN = ModelData.parse(builtIn).models;
const DATED = /^-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

export type ModelFacts = { contextWindow: number | null; price: Price | null };

export type ModelData = {
  lookUp: (provider: string, id: string) => ModelFacts;
  /** Which files a model takes; undefined: nobody said, and its family's habit holds. */
  reads: (provider: string, id: string) => readonly FileKind[] | undefined;
  /** The names a provider's models are known by, prefixes left out. */
  idsOf: (provider: string) => readonly string[];
};

export function readModelData(modelsFile?: string): ModelData {
  const entries = [...(modelsFile ? ownEntries(modelsFile) : []), ...BUILT_IN];
  return {
    lookUp(provider, id) {
      const fitting = entries.filter((entry) => entry.provider === provider && fits(entry.id, id));
      // Field by field: who corrects a price in the home keeps our window.
      const window = longest(fitting.filter((entry) => entry.context_window !== undefined));
      const price = longest(fitting.filter((entry) => entry.price !== undefined));
      return { contextWindow: window?.context_window ?? null, price: price?.price ?? null };
    },
    reads(provider, id) {
      const emitted = entries.filter(
        (entry) => entry.provider === provider && fits(entry.id, id) && entry.reads !== undefined,
      );
      return longest(emitted)?.reads;
    },
    idsOf(provider) {
      const ids = entries.filter((entry) => entry.provider === provider).map(({ id }) => id);
      return [...new Set(ids.filter((id) => !id.endsWith("*")))];
    },
  };
}

/** The most exact pattern; of equal ones the first, which is the home's. */
function longest(entries: readonly Entry[]): Entry | undefined {
  return entries.reduce<Entry | undefined>(
    (found, entry) => (found && found.id.length >= entry.id.length ? found : entry),
    undefined,
  );
}

/** Only a date may follow an exact id: "gpt-5" must not price "gpt-5-mini" or "gpt-5.2". */
function fits(pattern: string, id: string): boolean {
  if (pattern.endsWith("*")) return id.startsWith(pattern.slice(0, -1));
  return id === pattern || (id.startsWith(pattern) && DATED.test(id.slice(pattern.length)));
}

function ownEntries(path: string): readonly Entry[] {
  if (!existsSync(path)) return [];
  const problem = (why: string) =>
    new ModelError(
      "bad_request",
      `${path} cannot be used: ${why}. Correct or remove it.`.slice(0, 300),
    );
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw problem((error as Error).message);
  }
  const parsed = ModelData.safeParse(value);
  if (parsed.success) return parsed.data.models;
  const [issue] = parsed.error.issues;
  throw problem(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not understood"}`);
}
