// The last line of a run: current activity, or how it ended and what it took.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { isTerminal, type RunStatus } from "../../kernel/state/run/status.ts";
import type { PendingRequest } from "../../kernel/state/session/session-state.ts";
import { last } from "../../kernel/state/vector.ts";
import { ReadAloud } from "../../features/voice/web/lazy-read-aloud.tsx";
import { useMoment } from "../details/use-moment.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";
import { useFilesOf } from "../files/run-files.ts";
import { activeRunId, isDemoModel } from "../session/active-run.ts";
import { YoloBadge } from "../session/safety-badges.tsx";
import { useOpenSheet } from "../session/sheets.ts";
import { useIsPast, useRun, useSession } from "../session/use-session.ts";
import { dollars, duration, elapsed, exactTime, percent, plural } from "../text/format.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import styles from "./items.module.css";
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import { lastExchange } from "../rewind/exchange.ts";

const WAITING: Record<RunStatus, string | null> = {
  queued: "Queued",
  running: null, // what it does is in the newest item
  awaiting_approval: "Waiting for your approval",
  awaiting_clarify: "Waiting for your answer",
  paused: "Paused",
  cancelling: "Stopping…",
  cancelled: null,
  failed: null,
  completed: null,
  expired: null,
};

export function RunEnd({ runId }: { runId: string }) {
  const run = useRun(runId, (state) => state);
  if (!run) return null;
  return isTerminal(run.status) ? <Ended run={run} /> : <GoingOn run={run} />;
}

function Ended({ run }: { run: RunState }) {
  return (
    <div className="row justify-between flex-wrap line-above gap-x-l">
      <p className={styles.end} data-status={run.status} title={exactTime(run.updatedAt)}>
        <strong>{RUN_STATUS[run.status].label}</strong>
        {run.error && <span>{visibleLine(run.error.message)}</span>}
        <Took run={run} />
        <Spent run={run} />
        <ChangedFiles runId={run.runId} />
      </p>
      <div className="row flex-wrap">
        <ReadAloud runId={run.runId} />
        <LastExchangeActions runId={run.runId} />
      </div>
    </div>
  );
}

const SHORT_S = 1; // every run waits a moment for its runner

/** The duration, without the time in the queue. */
function Took({ run }: { run: RunState }) {
  const { startedAt } = run;
  const queued = (startedAt ?? run.updatedAt) - run.createdAt;
  return (
    <>
      {startedAt !== null && <span>{duration((run.updatedAt - startedAt) * 1_000)}</span>}
      {(queued >= SHORT_S || startedAt === null) && (
        <span>{duration(queued * 1_000)} in the queue</span>
      )}
    </>
  );
}

function Spent({ run: { usage, context, model } }: { run: RunState }) {
  const tokens = usage.total_tokens;
  if (tokens === null) return null;
  const cost = usage.cost_usd === null ? "price unknown" : dollars(usage.cost_usd);
  return (
    <>
      <span>{plural(tokens, "token")}</span>
      {!isDemoModel(model) && <span>{cost}</span>}
      {context && context.window !== null && (
        <span>{percent(context.tokens / context.window)} of the window</span>
      )}
    </>
  );
}

function ChangedFiles({ runId }: { runId: string }) {
  const open = useOpenSheet();
  const files = useFilesOf(runId);
  if (files.length === 0) return null;
  return (
    <button
      type="button"
      className={styles.changed}
      onClick={() => open({ kind: "changes", runId })}
    >
      Changed {plural(files.length, "file")}
    </button>
  );
}

function GoingOn({ run }: { run: RunState }) {
  const moment = useMoment();
  const past = useIsPast();
  const behind = useSession(activeRunId) !== run.runId;
  const yolo = useSession(({ session }) => session.yolo);
  const { startedAt } = run;
  const asked = useSession((view) => askedBelow(view, run.runId));
  const { status, words, since } = doing(run, asked);
  return (
    <p className={styles.going} data-status={status}>
      {!past && <span className={styles.pulse} aria-hidden="true" />}
      <span>{run.status === "queued" ? QUEUED[behind ? "behind" : "next"] : words}</span>
      <span>{elapsed((moment - (since ?? startedAt ?? run.createdAt)) * 1_000)}</span>
      {yolo && <YoloBadge size="short" />}
    </p>
  );
}

type Doing = { status: RunStatus; words: string; since: number | null };
const WAITS: Record<PendingRequest["kind"], { status: RunStatus; words: string }> = {
  approval: { status: "awaiting_approval", words: "A subagent waits for your approval" },
  clarify: { status: "awaiting_clarify", words: "A subagent waits for your answer" },
  unknown_outcome: { status: "awaiting_clarify", words: "A subagent waits for your decision" },
};

/** The activity and its start; a request counts from when it was asked. */
function doing(run: RunState, asked: PendingRequest | null): Doing {
  if (run.status === "running" && asked) return { ...WAITS[asked.kind], since: asked.at };
  const isAsking = run.status === "awaiting_approval" || run.status === "awaiting_clarify";
  const since = isAsking ? oldest(Object.values(run.pending))?.at : undefined;
  return { status: run.status, words: activityOf(run), since: since ?? null };
}

/** An open request of a subagent at any depth. */
function askedBelow({ session, runs }: SessionView, runId: string): PendingRequest | null {
  const isBelow = (request: PendingRequest) => {
    let above = runs[request.runId]?.parentRunId ?? null;
    while (above !== null && above !== runId) above = runs[above]?.parentRunId ?? null;
    return above !== null;
  };
  return oldest(Object.values(session.pending).filter(isBelow)) ?? null;
}

function oldest<Asked extends { readonly at: number }>(all: readonly Asked[]): Asked | undefined {
  return all.reduce<Asked | undefined>(
    (first, one) => (first && first.at <= one.at ? first : one),
    undefined,
  );
}

const QUEUED = {
  behind: "Queued: starts after the previous run",
  next: "Queued: starts when a runner is free",
} as const;

function activityOf(run: RunState): string {
  const waiting = WAITING[run.status];
  if (run.status === "paused" && run.statusReason !== null) {
    return `Paused: ${run.statusReason.replaceAll("_", " ")}`;
  }
  if (waiting !== null) return waiting;
  if (run.compacting) return "Compacting the conversation";
  const newest = last(run.items);
  if (newest?.kind === "tool" && newest.status === "running") return `Running ${newest.name}`;
  if (newest?.kind === "text" && newest.status === "streaming") return "Writing";
  if (newest?.kind === "reasoning" && newest.status === "streaming") return "Thinking";
  return "Working";
}

// Retry and undo of the newest exchange. A sheet asks first if files were changed.
function LastExchangeActions({ runId }: { runId: string }) {
  const isLast = useSession((view) => lastExchange(view) === runId);
  const past = useIsPast();
  return isLast && !past ? <Actions runId={runId} /> : null;
}

function Actions({ runId }: { runId: string }) {
  const { api } = useApp();
  const open = useOpenSheet();
  const command = useMutation();
  const files = useFilesOf(runId);
  const sessionId = useSession(({ session }) => session.sessionId);
  const act = (kind: "retry" | "undo") => {
    if (files.length > 0) return open({ kind, runId });
    command.send({ kind, runId }, (command_id) => api[kind](sessionId, { command_id }));
  };
  return (
    <div className={styles.actions}>
      <Problem text={command.problem} />
      <Button tone="quiet" icon="again" disabled={command.busy} onClick={() => act("retry")}>
        Retry
      </Button>
      <Button tone="quiet" icon="back" disabled={command.busy} onClick={() => act("undo")}>
        Undo
      </Button>
    </div>
  );
}
