// The few ways an event changes a run's line. No span ends twice, and none before it began.
import type { RunEvent } from "../../events/events.ts";
import { placeOf, withPlace } from "../id-map.ts";
import type { LineDraft, RunLine, Span, SpanStatus, TimelineDraft } from "./timeline.ts";
import { emptyVector, get, push, set } from "../vector.ts";
import { own } from "../../events/own.ts";
import { truncate } from "../../text/truncate.ts";

/** The place of a run's line, which is new where the run is. */
export function ensureLine(state: TimelineDraft["state"], runId: string, at: number): number {
  const known = placeOf(state.places, runId);
  if (known !== undefined) return known;
  const place = state.lines.length;
  state.lines = push(state.lines, emptyLine(runId, at));
  state.heard = push(state.heard, at);
  state.places = withPlace(state.places, runId, place);
  return place;
}

function emptyLine(runId: string, at: number): RunLine {
  return {
    runId,
    parentRunId: null,
    rootRunId: runId,
    depth: 0,
    title: "",
    askedBy: null,
    startedAt: at,
    endedAt: null,
    status: "running",
    spans: emptyVector(),
    messageSeq: null,
    lostAt: null,
    turn: null,
    calls: {},
    open: {},
  };
}

type Beginning = Pick<Span, "kind" | "lane" | "label"> & Partial<Span>;

/** Begins a span with the event; returns its place. */
export function begin({ line }: TimelineDraft, event: RunEvent, about: Beginning): number {
  const place = line.spans.length;
  line.spans = push<Span>(line.spans, {
    id: event.event_id,
    runId: line.runId,
    depth: line.depth,
    detail: "",
    startedAt: event.created_at,
    endedAt: null,
    status: "running",
    seq: event.seq,
    from: event.seq,
    to: null,
    parent: null,
    childRunId: null,
    ...about,
  });
  return place;
}

export type Ending = { readonly at: number; readonly seq: number; readonly status: SpanStatus };

export const endingOf = ({ created_at, seq }: RunEvent, status: SpanStatus): Ending => ({
  at: created_at,
  seq,
  status,
});

/** Of a call whose runner was lost: what is known of it ends there. */
export function lostEnding(event: RunEvent, draft: TimelineDraft, status: SpanStatus): Ending {
  return { ...endingOf(event, status), at: draft.line.lostAt ?? draft.heardAt };
}

/** Ends a span that has not ended. */
export function end({ line }: TimelineDraft, place: number, ending: Ending): void {
  change(line, place, (span) =>
    span.endedAt === null
      ? {
          ...span,
          endedAt: Math.max(span.startedAt, ending.at),
          to: ending.seq,
          status: ending.status,
        }
      : span,
  );
}

export function change(line: LineDraft, place: number, update: (span: Span) => Span): void {
  const span = get(line.spans, place);
  if (!span) return;
  const next = update(span);
  if (next !== span) line.spans = set(line.spans, place, next);
}

/** Begins a span that an event names by `key` when it ends. A key that is open goes on. */
export function open(draft: TimelineDraft, key: string, event: RunEvent, about: Beginning): void {
  const { line } = draft;
  if (line.open[key] !== undefined) return;
  line.open = { ...line.open, [key]: begin(draft, event, about) };
}

export function close(draft: TimelineDraft, key: string, ending: Ending): number | undefined {
  const { [key]: place, ...others } = draft.line.open;
  if (place === undefined) return undefined;
  draft.line.open = others;
  end(draft, place, ending);
  return place;
}

/** Everything that has not ended ends. */
export function closeAll(draft: TimelineDraft, ending: Ending): void {
  const { line } = draft;
  for (const key of Object.keys(line.open)) close(draft, key, ending);
  for (const { place } of Object.values(line.calls)) {
    if (place !== null) end(draft, place, ending);
  }
  if (line.turn) end(draft, line.turn.place, ending);
  line.calls = {};
  line.turn = null;
}

/** The span of a call that is being carried out. */
export function callSpan({ line }: TimelineDraft, callId: string | null): Span | undefined {
  const place = callId === null ? undefined : own(line.calls, callId)?.place;
  return place === undefined || place === null ? undefined : get(line.spans, place);
}

const LONGEST = 200;

/** What fits in a line; the whole is in the chat. */
export function head(text: string): string {
  const from = text.trimStart();
  return from.length <= LONGEST ? from.trimEnd() : truncate(from, LONGEST, LONGEST);
}
