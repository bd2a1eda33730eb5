// Delivers the spans of runs, from the journal. How far each run was delivered is durable only after the collector
// has taken it: a runner that is killed delivers nothing less, and what it delivers again is the same spans under the
// same ids. Runs never wait for it.
import { setTimeout as delay } from "node:timers/promises";
import type { Traced } from "../store/traces.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import type { Otlp } from "./otlp.ts";
import { newTrace, takeEvent, TRACED_TYPES, type Span, type TracedRun } from "./spans.ts";
import { traceStore } from "../store/traces.ts";

const EVERY_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const LEASE_MS = 30_000;
const LAST_MS = 3_000; // for what is left when a runner ends
const PAGE = 1_000;
const SPANS_AT_ONCE = 500;

export type TraceExporter = AsyncDisposable & {
  /** From now on the run's spans are delivered. */
  readonly begin: (runId: string) => Promise<void>;
};
export type ExporterOptions = {
  readonly journal: Journal;
  readonly otlp: Otlp;
  readonly exporterId: string;
  /** What was said, asked for and returned goes along. */
  readonly withContents: boolean;
  readonly logError: (message: string, error: unknown) => void;
};

type Followed = { readonly run: TracedRun; seq: number };
type News = {
  readonly traced: Traced & { readonly ended: boolean };
  readonly spans: readonly Span[];
};

export function startExporter(options: ExporterOptions): TraceExporter {
  const { journal, otlp, exporterId, logError } = options;
  const stopped = new AbortController();
  const followed = new Map<string, Followed>();
  let failures = 0;

  async function round(): Promise<void> {
    try {
      await deliverNew(options, followed, { probing: failures > 0 });
      failures = 0;
    } catch (error) {
      followed.clear(); // read again from the journal, so that nothing piles up here
      failures += 1;
      if (failures === 1) logError("spans could not be delivered; trying again", error);
    }
  }
  async function deliver(): Promise<void> {
    while (!stopped.signal.aborted) {
      await round();
      const wait = Math.min(LONGEST_WAIT_MS, EVERY_MS * 2 ** Math.min(failures, 10));
      await delay(wait, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }
  const delivering = deliver();
  return {
    begin: (runId) => traceStore(journal).traceRun(runId, exporterId, LEASE_MS),
    async [Symbol.asyncDispose]() {
      stopped.abort();
      const last = delivering
        .then(round) // what ended since the last one
        .then(() => traceStore(journal).releaseTraces(exporterId))
        .catch((error: unknown) => logError("traces were not released", error));
      await Promise.race([last, delay(LAST_MS, undefined, { ref: false })]);
      await otlp.close();
    },
  };
}

/** `probing`: the collector was away, so that one run is enough to see whether it is back. */
async function deliverNew(
  { journal, otlp, exporterId, withContents }: ExporterOptions,
  followed: Map<string, Followed>,
  { probing }: { probing: boolean },
): Promise<void> {
  const taken = await traceStore(journal).takeTraces(exporterId, LEASE_MS);
  const news: News[] = [];
  for (const traced of probing ? taken.slice(0, 1) : taken) {
    const found = await changesOf({ journal, withContents }, traced, followed);
    if (found) news.push(found);
  }
  for (const gone of followed.keys()) {
    if (!taken.some(({ runId }) => runId === gone)) followed.delete(gone);
  }
  const redact = journal.redactor?.text; // secrets that became known since it was journaled
  const spans = news.flatMap((each) => each.spans.map((span) => redacted(span, redact)));
  for (let at = 0; at < spans.length; at += SPANS_AT_ONCE) {
    await otlp.deliver(spans.slice(at, at + SPANS_AT_ONCE));
  }
  const delivered = news.filter(({ spans: some, traced }) => some.length > 0 || traced.ended);
  if (delivered.length === 0) return;
  await traceStore(journal).deliveredTraces(
    exporterId,
    delivered.map(({ traced }) => traced),
  );
}

/** What came since the last look. The first look is from the beginning: a span may have begun long ago. */
async function changesOf(
  { journal, withContents }: Pick<ExporterOptions, "journal" | "withContents">,
  { runId, seq: delivered }: Traced,
  followed: Map<string, Followed>,
): Promise<News | undefined> {
  const run = await journal.reads.run(runId);
  if (!run || run.quarantined !== null) {
    return { traced: { runId, seq: delivered, ended: true }, spans: [] }; // nobody can read it
  }
  const known = followed.get(runId) ?? {
    run: newTrace(runId, run.session_id, { withContents }),
    seq: 0,
  };
  followed.set(runId, known);
  const spans: Span[] = [];
  let ended = false;
  for (;;) {
    const page = await journal.readRun(runId, known.seq, PAGE);
    for (const [seq, , body] of page?.rows ?? []) {
      known.seq = seq;
      if (!TRACED_TYPES.has(typeOf(body))) continue;
      const event = JSON.parse(body) as RunEvent;
      const over = takeEvent(known.run, event);
      if (seq > delivered) spans.push(...over);
      ended ||= event.type === "done";
    }
    if (!page || page.rows.length < PAGE) break;
  }
  return { traced: { runId, seq: known.seq, ended }, spans };
}

function redacted(span: Span, redact: ((text: string) => string) | undefined): Span {
  if (!redact) return span;
  const entries = Object.entries(span.attributes).map(([name, value]) => [
    name,
    typeof value === "string" ? redact(value) : value,
  ]);
  return { ...span, attributes: Object.fromEntries(entries) as Span["attributes"] };
}

const TYPE = /"type":"([^"]+)"/; // the first one is the envelope's

function typeOf(body: string): string {
  return TYPE.exec(body)?.[1] ?? "";
}
