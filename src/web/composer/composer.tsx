// The composer of a session. Works offline and while the past is shown: text goes to the outbox first, and to
// the live session.
import { useState, useRef } from "react";
import type { OutboxEntry } from "../../kernel/client/outbox/outbox.ts";
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import { useApp } from "../app-context.ts";
import { useActions } from "../keys/actions.ts";
import { keyboardOf } from "../keys/key-labels.ts";
import { newId } from "../new-id.ts";
import { useOpenSheet } from "../session/sheets.ts";
import { useIsPast, useLive, useLiveStore } from "../session/use-session.ts";
import { DEMO_MESSAGE, DEMO_MODEL } from "../new-session/demo-session.ts";
import { useOutboxEntries } from "../use-outbox.ts";
import { navigate } from "../use-route.ts";
import { ComposerActions } from "./composer-actions.tsx";
import { changeDraft, draftOf, useDraft } from "./drafts.ts";
import { ComposerForm } from "./message-form.tsx";
import { ModeChoice, OTHER_MODE, type Mode } from "./mode-choice.tsx";
import { useSlash } from "./slash/use-slash.ts";
import type { Written } from "./use-message-form.ts";
import { useStop } from "./use-stop.ts";
import { YoloQuestion } from "./yolo-question.tsx";
import type { RunStatus } from "../../kernel/state/run/status.ts";
import { Button } from "../ui/button.tsx";
import { directCall } from "../../kernel/events/direct.ts";
import { get } from "../../kernel/state/vector.ts";
import { useQuery } from "../use-query.ts";
import type { Offers } from "./slash/complete.ts";

export { MessageForm } from "./start-form.tsx";

type ComposerProps = { sessionId: string; activeRunId: string | null };

export function Composer({ sessionId, activeRunId }: ComposerProps) {
  const [mode, setMode] = useState<Mode>("queue");
  const [question, setQuestion] = useState<"yolo" | null>(null);
  const store = useLiveStore();
  const status = useActiveStatus(activeRunId);
  const stop = useStop(activeRunId, status);
  const running = activeRunId !== null;
  const send = useSend(sessionId, activeRunId);
  const slash = useSessionSlash({
    sessionId,
    activeRunId,
    send: (text, how) => {
      send({ text, files: draftOf(sessionId).files }, how);
      changeDraft(sessionId, { files: [] });
    },
    stop: stop.stop,
    askYolo: () => setQuestion("yolo"),
  });
  const offers = useOffers(useDraft(sessionId).text.startsWith("/"));
  const onEscape = useEscape(running ? stop.stop : null);
  return (
    <>
      {question === "yolo" && (
        <YoloQuestion sessionId={sessionId} onClose={() => closeQuestion(setQuestion)} />
      )}
      <ComposerForm
        place={sessionId}
        takesFiles
        placeholder={running ? PLACEHOLDER[mode] : "Message, or / for commands"}
        onSend={(written, how) => send(written, how === "usual" ? mode : OTHER_MODE[mode])}
        onEscape={onEscape}
        recall={(back) => saidBefore(store.getState(), back)}
        slash={{ commands: slash, offers }}
        problem={slash.problem ?? stop.problem}
        note={slash.note}
        hint={useHint(mode, running)}
        keys={keysFor(running, mode)}
      >
        {running && (
          <>
            <ModeChoice mode={mode} onChange={setMode} />
            <StopButton stopping={stop.stopping} onStop={stop.stop} />
          </>
        )}
      </ComposerForm>
      <ComposerActions slash={slash} onStop={running ? onEscape : null} />
    </>
  );
}

function closeQuestion(set: (question: null) => void): void {
  set(null);
  document.getElementById("composer")?.focus();
}

const PLACEHOLDER: Record<Mode, string> = {
  queue: "Add a message to the queue…",
  steer: "Message the running agent…",
};
const MOD = keyboardOf(navigator) === "mac" ? "⌘" : "Ctrl";
const VERB: Record<Mode, string> = { queue: "queue", steer: "send now" };

function keysFor(running: boolean, mode: Mode): string {
  const usual = running ? VERB[mode] : "send";
  const more = running ? ` · ${MOD}+Enter to ${VERB[OTHER_MODE[mode]]} · Esc to stop` : "";
  return `Enter to ${usual} · Shift+Enter for a new line${more}`;
}

function useSend(sessionId: string, activeRunId: string | null) {
  const { outbox } = useApp();
  return ({ text, files }: Written, mode: Mode) =>
    outbox.add({
      messageId: newId("msg"),
      sessionId,
      text,
      ...(files.length > 0 && { files }),
      target: activeRunId === null ? null : { runId: activeRunId, mode },
    });
}

const isWaiting = ({ session }: SessionView) => Object.keys(session.pending).length > 0;
const isAway = ({ connection }: SessionView) =>
  connection.state === "offline" || connection.state === "reconnecting";

/** A dead connection can look alive for a long time. */
const isStuck = ({ status, problem }: OutboxEntry) =>
  problem !== null && (status === "waiting" || status === "sending");

const WAITS: Record<Mode, string> = {
  queue: "The agent is waiting for your answer. This message will be queued.",
  steer: "The agent is waiting for your answer. It reads this when it continues.",
};

/** A hint about what sending will do. */
function useHint(mode: Mode, running: boolean): string | null {
  const past = useIsPast();
  const { outbox } = useApp();
  const stuck = useOutboxEntries(outbox).some(isStuck);
  const away = useLive(isAway) || stuck;
  const waiting = useLive(isWaiting);
  if (away) return "Offline. It will be sent when the server is back.";
  if (past) return "You’re viewing the past. New messages go to the live session.";
  return running && waiting ? WAITS[mode] : null;
}

type SlashHere = {
  sessionId: string;
  activeRunId: string | null;
  send: (text: string, mode: Mode) => void;
  stop: () => void;
  askYolo: () => void;
};

function useSessionSlash(here: SlashHere) {
  const { api, outbox, status } = useApp();
  const store = useLiveStore();
  const open = useOpenSheet();
  const actions = useActions();
  const go = (where: "new" | "demo" | "help") => {
    if (where === "new") return navigate({ page: "start" });
    if (where === "help") return actions.find(({ id }) => id === "page.help")?.run();
    const sessionId = newId("ses");
    const model = status?.model.demo === false ? { model: DEMO_MODEL } : {};
    const demo = { messageId: newId("msg"), sessionId, text: DEMO_MESSAGE, target: null };
    outbox.add({ ...demo, ...model });
    navigate({ page: "session", sessionId });
  };
  return useSlash({ ...here, api, open, go, view: store.getState });
}

/** The status of the run that the composer would stop or steer. */
function useActiveStatus(runId: string | null): RunStatus | undefined {
  return useLive(({ runs }) => (runId === null ? undefined : runs[runId]?.status));
}

function StopButton({ stopping, onStop }: { stopping: boolean; onStop: () => void }) {
  return (
    <Button
      icon="stop"
      disabled={stopping}
      onClick={onStop}
      data-status={stopping ? "stopping" : "ready"}
    >
      {stopping ? "Stopping…" : "Stop"}
    </Button>
  );
}

// Esc stops; a second Esc soon after opens the list of messages to rewind to.
const TWICE_MS = 1_000; // as long as every sequence of keys (keys/dispatch.ts)

function useEscape(stop: (() => void) | null): () => void {
  const open = useOpenSheet();
  const last = useRef(-TWICE_MS);
  return () => {
    const now = performance.now();
    const twice = now - last.current < TWICE_MS;
    last.current = twice ? -TWICE_MS : now;
    if (twice) open({ kind: "turns" });
    else stop?.();
  };
}

/** The `back`th newest message of a person, from 1; null if there is none. */
function saidBefore({ session, runs }: SessionView, back: number): string | null {
  let left = back;
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    const run = summary && runs[summary.runId];
    if (!run || run.depth > 0 || directCall(run)) continue;
    for (let index = run.items.length - 1; index >= 0; index -= 1) {
      const item = get(run.items, index);
      if (item?.kind !== "user" || item.mode === "goal" || item.retracted) continue;
      left -= 1;
      if (left === 0) return item.text;
    }
  }
  return null;
}

// Models and profiles for completion, loaded when somebody first types a slash.
const NONE: Offers = { models: [], profiles: [] };

/** Empty while unknown; any name can still be typed. */
function useOffers(wanted: boolean): Offers {
  const { api } = useApp();
  const [asked, setAsked] = useState(wanted);
  if (wanted && !asked) setAsked(true);
  const { value } = useQuery(asked ? ["offers"] : null, async (signal): Promise<Offers> => {
    const [models, profiles] = await Promise.all([
      api.models(signal).catch(() => []),
      api.profiles(signal).catch(() => []),
    ]);
    return { models: models.map(({ provider, id }) => `${provider}/${id}`), profiles };
  });
  return value ?? NONE;
}
