// One request live from its session, with the same card as in the transcript.
import { useEffect, useMemo, type ReactNode } from "react";
import type { RequestState, ToolItem } from "../../kernel/state/run/items.ts";
import { findTool, type RunState } from "../../kernel/state/run/state.ts";
import { toArray } from "../../kernel/state/vector.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { planText } from "../requests/plan-text.ts";
import { OpenRequest } from "../requests/request-card.tsx";
import { useOver } from "../requests/request-over.ts";
import { ConnectionPill, DriftMark } from "../session/connection-pill.tsx";
import {
  LiveContext,
  SessionContext,
  useLive,
  useRun,
  useSessionStore,
} from "../session/use-session.ts";
import { Link } from "../ui/link.tsx";
import { Time } from "../ui/time.tsx";
import { useInbox } from "./inbox-store.ts";
import styles from "./request-in-session.module.css";

type Place = { readonly sessionId: string; readonly runId: string; readonly requestId: string };
type RequestInSessionProps = Place & {
  /** Shown if the session no longer has the request. */
  readonly gone: ReactNode;
  /** Shown after the answer. */
  readonly after: ReactNode;
};

export function RequestInSession(props: RequestInSessionProps) {
  const store = useSessionStore(props.sessionId);
  if (!store) return null;
  return (
    <LiveContext value={store}>
      <SessionContext value={store}>
        <Shown {...props} />
      </SessionContext>
    </LiveContext>
  );
}

type Found = {
  readonly request: RequestState;
  readonly tool: ToolItem | null;
  readonly seq: number;
  readonly lastText: string | null;
};

function Shown({ sessionId, runId, requestId, gone, after }: RequestInSessionProps) {
  const run = useRun(runId, (state) => state);
  const title = useLive(({ session }) => session.title);
  const caughtUp = useLive((view) => view.caughtUp);
  const failure = useLive(({ connection }) =>
    connection.state === "denied" ? connection.failure : null,
  );
  const found = useMemo(() => run && findRequest(run, requestId), [run, requestId]);
  const over = useOver(runId, found?.tool ?? null);
  const answered = found != null && (found.request.answer !== null || over !== null);
  const { refresh } = useInbox();
  useEffect(() => {
    if (answered) refresh(); // the list should not lag behind the card
  }, [answered, refresh]);
  if (failure) return <p role="alert">{failure.message}</p>;
  if (!run || !found) return caughtUp ? gone : <p className="hint appear">Loading…</p>;
  return (
    <div className={styles.shown}>
      <About title={title} run={run} found={found} sessionId={sessionId} />
      <div className={styles.card} data-answered={answered}>
        {answered && <Asked found={found} />}
        <OpenRequest request={found.request} runId={runId} tool={found.tool} keys />
        {answered && after}
      </div>
    </div>
  );
}

/** The asked call, shown after the answer. A question shows itself. */
function Asked({ found: { request, tool } }: { found: Found }) {
  if (request.kind === "clarify") return null;
  return (
    <div className={styles.asked}>
      <p className="bold break-anywhere">{visibleText(request.title)}</p>
      {/* Focusable, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>{visibleText(tool ? planText(tool) : request.prompt)}</pre>
    </div>
  );
}

type AboutProps = { title: string; run: RunState; found: Found; sessionId: string };
const MAX_TEXT = 1_200;

function About({ title, run, found, sessionId }: AboutProps) {
  const prompt = promptOf(run);
  const { lastText } = found;
  return (
    <div className="stack gap-m">
      <p className={styles.place}>
        <Link to={{ page: "session", sessionId, runId: run.runId, seq: found.seq }}>
          {visibleLine(title) || "Untitled session"}
        </Link>
        <span className="hint">
          asked <Time at={found.request.at} />
        </span>
        <ConnectionPill />
        <DriftMark />
      </p>
      {prompt !== null && (
        <Said by={run.depth > 0 ? "Task of the subagent" : "You said"} text={prompt} />
      )}
      {lastText !== null && <Said by="Last message of the agent" text={lastText} />}
    </div>
  );
}

function Said({ by, text }: { by: string; text: string }) {
  const long = text.length > MAX_TEXT;
  return (
    <div className={styles.said}>
      <p className="hint">{by}</p>
      <blockquote>{visibleText(long ? `… ${text.slice(-MAX_TEXT)}` : text)}</blockquote>
    </div>
  );
}

function promptOf(run: RunState): string | null {
  for (const item of toArray(run.items)) if (item.kind === "user") return item.text;
  return null;
}

/** The newest request with that id, and the message before it. */
export function findRequest(run: RunState, requestId: string): Found | null {
  let lastText: string | null = null;
  for (const item of toArray(run.items)) {
    if (item.kind === "text" && item.text.trim() !== "") lastText = item.text;
    if ((item.kind !== "tool" && item.kind !== "notice") || item.request?.id !== requestId)
      continue;
    const tool = item.kind === "tool" ? item : toolOf(run, item.request);
    return { request: item.request, tool, seq: item.seq, lastText };
  }
  return null;
}

function toolOf(run: RunState, { callId }: RequestState): ToolItem | null {
  return callId === null ? null : (findTool(run, callId) ?? null);
}
