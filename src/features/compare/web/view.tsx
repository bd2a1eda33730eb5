// Two runs side by side, aligned by their steps. The left run is the shown one, the right one is in the
// address.
import { useMemo, useState, type ReactNode } from "react";
import type { SessionSource } from "../../../kernel/client/sessions/store.ts";
import { useApp } from "../../../web/app-context.ts";
import { useShownRun } from "../../../web/session/shown-run.ts";
import { useSessionStore, useSource } from "../../../web/session/use-session.ts";
import { Button, IconButton } from "../../../web/ui/button.tsx";
import { useQuery } from "../../../web/use-query.ts";
import { adjust, useRoute } from "../../../web/use-route.ts";
import styles from "./compare.module.css";
import { Comparison } from "./comparison.tsx";
import { runChoices, suggestedFor, type RunChoice } from "../../../web/session/runs/choices.ts";
import { RunSelect } from "../../../web/session/runs/select.tsx";
import { SessionSelect } from "./session-select.tsx";
import { useRuns, useSessionState } from "./use-compared.ts";

export function CompareView() {
  const source = useSource();
  const runs = useRuns(source);
  const left = useShownRun();
  const route = useRoute();
  const right = route.page === "session" ? (route.with ?? null) : null;
  const here = right === null || runs[right] !== undefined;
  if (left === null)
    return <p className={styles.empty}>No run yet: there is nothing to compare.</p>;
  if (!here) return <Elsewhere key={right} left={left} right={right} />;
  return <Chooser left={left} right={right} sessionId={source.sessionId} />;
}

/** The run in the address belongs to another session, which the server names. */
function Elsewhere({ left, right }: { left: string; right: string }) {
  const { api } = useApp();
  const { value, problem } = useQuery([right], (signal) => api.run(right, signal));
  if (value) return <Chooser left={left} right={right} sessionId={value.session_id} />;
  if (problem === null) return <p className={styles.empty}>Looking for the other run…</p>;
  return (
    <div className={styles.empty}>
      <p role="alert">The run to compare with cannot be read: {problem}</p>
      <Button onClick={() => adjust({ with: undefined })}>Choose another</Button>
    </div>
  );
}

type ChooserProps = { left: string; right: string | null; sessionId: string };

function Chooser({ left, right, sessionId }: ChooserProps) {
  const source = useSource();
  const [chosen, setChosen] = useState(sessionId); // the session the right side is of
  const own = chosen === source.sessionId;
  const choose = (to: string) => {
    setChosen(to);
    adjust({ with: undefined });
  };
  const session = <SessionSelect value={chosen} onChange={choose} />;
  const sides = { left, right, session };
  if (own) return <Sides key={chosen} {...sides} other={source} />;
  return <OtherSession key={chosen} {...sides} sessionId={chosen} />;
}

type SidesProps = { left: string; right: string | null; session: ReactNode };

function OtherSession({ sessionId, ...sides }: SidesProps & { sessionId: string }) {
  const store = useSessionStore(sessionId);
  return store && <Sides {...sides} other={store} />;
}

function Sides({ left, right, session, other }: SidesProps & { other: SessionSource }) {
  const source = useSource();
  const leftChoices = useChoices(source);
  const choices = useChoices(other);
  const own = other.sessionId === source.sessionId;
  const others = own ? choices.filter(({ runId }) => runId !== left) : choices;
  const suggested = own ? suggestedFor(choices, left) : null;
  const known = right !== null && choices.some(({ runId }) => runId === right);
  return (
    <div className="stack flex-1 min-h-0">
      <div className={styles.choice}>
        <span className={styles.side}>
          <b aria-hidden="true">A</b>
          <RunSelect
            label="Run A"
            choices={leftChoices}
            value={left}
            onChange={(runId) => adjust({ runId, seq: undefined })}
          />
          {own && right !== null && (
            <IconButton
              icon="again"
              label="Swap"
              title="Swap the sides"
              onClick={() => adjust({ runId: right, seq: undefined, with: left })}
            />
          )}
        </span>
        <span className={styles.side}>
          <b aria-hidden="true">B</b>
          {session}
          <RunSelect
            label="Run B"
            choices={others}
            value={right}
            onChange={(runId) => adjust({ with: runId })}
          />
        </span>
      </div>
      {known && right !== null ? (
        <Comparison left={{ source, runId: left }} right={{ source: other, runId: right }} />
      ) : (
        <Nothing
          alone={others.length === 0}
          suggested={suggested}
          onChoose={(runId) => adjust(inOrder(choices, left, runId))}
        />
      )}
    </div>
  );
}

type NothingProps = {
  alone: boolean;
  suggested: RunChoice | null;
  onChoose: (runId: string) => void;
};

function Nothing({ alone, suggested, onChoose }: NothingProps) {
  return (
    <div className={styles.empty}>
      <p>
        {alone
          ? "This session has no other run. Retry or edit a message, or choose another session."
          : "Choose the run to compare with."}
      </p>
      {suggested && (
        <Button tone="primary" onClick={() => onChoose(suggested.runId)}>
          Compare with run {suggested.number}
          {suggested.rewound && ", the attempt before"}
        </Button>
      )}
    </div>
  );
}

/** The older run is on the left. */
function inOrder(choices: readonly RunChoice[], shown: string, other: string) {
  const first = choices.find(({ runId }) => runId === shown || runId === other)?.runId;
  const [runId, second] = first === shown ? [shown, other] : [other, shown];
  return { runId, seq: undefined, with: second };
}

function useChoices(source: SessionSource) {
  const session = useSessionState(source);
  const runs = useRuns(source);
  return useMemo(() => runChoices({ session, runs }), [session, runs]);
}
