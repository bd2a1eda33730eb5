// Background commands of the session with their state and output.
import { useMemo, useState, type SubmitEvent } from "react";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import type { Item } from "../../../kernel/state/run/items.ts";
import { values, type Vector } from "../../../kernel/state/vector.ts";
import { select } from "../../session/selection.ts";
import { useFold, useSession, useSource } from "../../session/use-session.ts";
import { bytes, elapsed } from "../../text/format.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useNow } from "../../ui/use-now.ts";
import { LogView } from "./log.tsx";
import { processFold, type ProcessLog, type ProcessStatus } from "./fold.ts";
import styles from "./processes.module.css";
import { manualCalls, type ProcessName } from "../../../kernel/client/calls/manual-calls.ts";
import { useCalls } from "../../app-context.ts";
import { Problem } from "../../ui/problem.tsx";
import { useMutation } from "../../use-mutation.ts";

export function ProcessesPanel() {
  const processes = useFold(processFold, (state) => state);
  const newestFirst = useMemo(() => processes.toReversed(), [processes]);
  const [chosen, setChosen] = useState<string | null>(null);
  const running = newestFirst.find(({ status }) => status === "running");
  const shown =
    newestFirst.find(({ processId }) => processId === chosen) ?? running ?? newestFirst[0];
  if (!shown) {
    return (
      <p className="p-l muted">
        No command runs in the background. One that does is shown here with what it prints.
      </p>
    );
  }
  return (
    <div className="stack fill">
      <ul className={styles.list} aria-label="Background commands">
        {newestFirst.map((one) => (
          <li key={one.processId}>
            <button
              type="button"
              className={styles.one}
              aria-pressed={one === shown}
              onClick={() => setChosen(one.processId)}
            >
              <code>{visibleLine(one.command)}</code>
              <span className="row flex-wrap gap-row hint">
                <StatusBadge process={one} />
                <Age process={one} /> · {bytes(one.bytes)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Shown key={shown.processId} process={shown} />
    </div>
  );
}

function Shown({ process }: { process: ProcessLog }) {
  const { runId, callId, command, parts } = process;
  const { at } = useSource();
  const seq = useSession(({ runs }) => seqOf(runs[runId]?.items, callId));
  const text = useMemo(() => parts.map((part) => part.text).join("\n…\n"), [parts]);
  return (
    <section className="stack flex-1 min-h-0 line-above" aria-label="Output">
      <div className={styles.tools}>
        <span className="flex-1 muted mono-small">{visibleLine(process.processId)}</span>
        {seq !== undefined && (
          <Button tone="quiet" onClick={() => select({ runId, seq })}>
            Show the call
          </Button>
        )}
        <CopyButton text={text} what="output" />
      </div>
      {parts.length === 0 ? (
        <p className="p-l muted">
          {process.status === "running" ? "It has printed nothing yet." : "It printed nothing."}
        </p>
      ) : (
        <LogView parts={parts} name={visibleLine(command)} />
      )}
      {process.status === "running" && at === null && (
        <ProcessControls name={{ runId, processId: process.processId }} />
      )}
    </section>
  );
}

function seqOf(items: Vector<Item> | undefined, callId: string): number | undefined {
  if (!items) return undefined;
  for (const item of values(items)) {
    if (item.kind === "tool" && item.callId === callId) return item.seq;
  }
  return undefined;
}

const STATUS: Record<ProcessStatus, { tone: Tone; words: (one: ProcessLog) => string }> = {
  running: { tone: "busy", words: () => "Running" },
  exited: {
    tone: "neutral",
    words: ({ exitCode, signal }) =>
      exitCode !== null ? `Exited ${exitCode}` : signal !== null ? `Ended by ${signal}` : "Ended",
  },
  lost: { tone: "warning", words: () => "Lost with its runner" },
  over: { tone: "neutral", words: () => "Ended with its run" },
};

function StatusBadge({ process }: { process: ProcessLog }) {
  const { tone, words } = STATUS[process.status];
  const failed = process.status === "exited" && (process.exitCode ?? 0) !== 0;
  return (
    <Badge tone={failed ? "bad" : tone} status={process.status} dot>
      {words(process)}
    </Badge>
  );
}

function Age({ process: { startedAt, endedAt } }: { process: ProcessLog }) {
  const now = useNow(1_000);
  const { at, recording } = useSource();
  const moment = at === null ? now : (recording.at(at)?.created_at ?? 0) * 1_000;
  const until = endedAt === null ? moment : endedAt * 1_000;
  return <span>{elapsed(until - startedAt * 1_000)}</span>;
}

// Input and stop button of a running command.
function ProcessControls({ name }: { name: ProcessName }) {
  const own = useCalls(manualCalls);
  const typing = useMutation();
  const killing = useMutation();
  const [text, setText] = useState("");
  const type = (event: SubmitEvent) => {
    event.preventDefault();
    const request = { ...name, text: `${text}\n` };
    typing.send(
      request,
      (command_id) => own.typeInto(name, { text: request.text, command_id }),
      () => setText(""),
    );
  };
  const end = () => killing.send(name, (command_id) => own.kill(name, { command_id }));
  return (
    <div className="stack gap-s p-bar line-above">
      <form className={styles.typing} onSubmit={type}>
        <input
          className="input flex-1 min-w-0"
          type="text"
          aria-label="Type into it"
          placeholder="Type into it"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={60_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={typing.busy}>
          Send
        </Button>
        <Button tone="danger" disabled={killing.busy} onClick={end}>
          End it
        </Button>
      </form>
      <Problem text={typing.problem ?? killing.problem} />
    </div>
  );
}
