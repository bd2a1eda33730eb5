// One runner of postgres.ts in a separate process: ours appends to a claimed run, the floor's inserts rows.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { openPostgres } from "../src/kernel/journal/postgres/postgres.ts";
import { bareEvent, delta } from "./place.ts";
import { FEATURES } from "../src/features/journal-features.ts";

export type Asked = { readonly batch: number; readonly ms: number; readonly gapMs: number };
export type Emitted = { readonly perSecond: number };
type Write = (batch: number, mark: string) => Promise<void>;

const [kind, url = "", at = "0"] = process.argv.slice(2);
const write = kind === "ours" ? await ours() : await bare();
process.on("message", (asked: Asked) => void perform(asked));
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function perform({ batch, ms, gapMs }: Asked): Promise<void> {
  const began = performance.now();
  let events = 0;
  while (performance.now() - began < ms) {
    await write(batch, gapMs > 0 ? `@${process.hrtime.bigint()}@` : "");
    events += batch;
    if (gapMs > 0) await delay(gapMs);
  }
  process.send?.({ perSecond: (events / (performance.now() - began)) * 1_000 } satisfies Emitted);
}

function drafts(batch: number, mark: string) {
  return Array.from({ length: batch }, (_, index) => {
    const draft = delta(index);
    if (mark === "" || draft.type !== "token.delta") return draft;
    return { ...draft, payload: { ...draft.payload, delta: `${mark}${draft.payload.delta}` } };
  });
}

async function ours(): Promise<Write> {
  const journal = await openPostgres({
    features: FEATURES,
    url,
    name: `bench ${at}`,
    windows: false,
  }); // as `work` does
  await journal.commands.startRun({ message: "bench" }, { model: "demo/demo", workspace: "/" });
  const claim = await journal.claimNext({
    runnerId: `bench_${at}`,
    leaseMs: 3_600_000,
    lost: [],
    childrenOnly: false,
    volumes: [],
  });
  if (!claim) throw new Error("nothing to claim");
  return async (batch, mark) => {
    const result = await journal.append(claim, drafts(batch, mark));
    if (!result.ok) throw new Error(result.reason);
  };
}

/** Serialises and inserts as many bytes, without fence, chain, head or list. */
async function bare(): Promise<Write> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const text = `WITH stored AS (INSERT INTO raw SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[],
    $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])) SELECT 1`;
  const emitOptions = text.replace("SELECT 1", "SELECT pg_notify('raw', $8)");
  let seq = 0;
  const key = Number(at) + 1;
  return async (batch, mark) => {
    const columns: [number[], number[], number[], number[], number[], number[], string[]] = [
      [],
      [],
      [],
      [],
      [],
      [],
      [],
    ];
    for (const draft of drafts(batch, mark)) {
      seq += 1;
      const row = [key, seq, key, seq, 0, seq * 400] as const;
      for (const [column, value] of row.entries()) (columns[column] as number[]).push(value);
      columns[6].push(bareEvent(seq, draft));
    }
    if (mark === "") await client.query({ name: "bare", text, values: columns });
    else
      await client.query({ name: "telling", text: emitOptions, values: [...columns, String(key)] });
  };
}
