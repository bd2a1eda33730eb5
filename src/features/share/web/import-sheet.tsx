// Imports an exported file, chosen or dropped. Problems are shown in the server's words.
import { useEffect, useRef, useState, type DragEvent } from "react";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { MAX_IMPORT_BYTES } from "../../../kernel/events/share-policy.ts";
import { useApp } from "../../../web/app-context.ts";
import { bytes } from "../../../web/text/format.ts";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { Sheet } from "../../../web/ui/sheet.tsx";
import { sendFile } from "../../../web/upload-file.ts";
import { navigate } from "../../../web/use-route.ts";
import styles from "./import-sheet.module.css";

export function ImportSheet({ onClose }: { onClose: () => void }) {
  const { busy, part, problem, known, take } = useImport(onClose);
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <Sheet title="Import a session" onClose={onClose}>
      <div className="stack gap-l">
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the button beside does the same */}
        <div
          className={styles.place}
          data-over={over}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
        >
          <p>Drop a file here that was exported from Quarterdeck (.html or .jsonl), or</p>
          <Button icon="file" disabled={busy} onClick={() => chooser.current?.click()}>
            Choose a file
          </Button>
          <input
            ref={chooser}
            type="file"
            hidden
            accept=".html,.jsonl,.json"
            onChange={(event) => {
              take(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
        </div>
        <p className={form.hint}>
          It becomes a read-only session: nothing in it can be run, answered or changed, and its
          approvals do not apply here.
        </p>
        <p className={form.hint} role="status">
          {busy && `Reading… ${Math.round(part * 100)} %`}
        </p>
        <Problem text={problem} />
        {known && <Known outcome={known} onClose={onClose} onAgain={() => take(undefined, true)} />}
      </div>
    </Sheet>
  );
}

type KnownProps = { outcome: Outcome; onClose: () => void; onAgain: () => void };

function Known({ outcome: { session_id }, onClose, onAgain }: KnownProps) {
  const open = () => {
    onClose();
    if (session_id !== null) navigate({ page: "session", sessionId: session_id });
  };
  return (
    <div className="stack gap-m p-l rounded warn-soft" data-part="duplicate">
      <p>This session has already been imported.</p>
      <div className="row flex-wrap gap-m">
        <Button tone="primary" onClick={open}>
          Open it
        </Button>
        <Button onClick={onAgain}>Import again</Button>
      </div>
    </div>
  );
}

type State = { busy: boolean; part: number; problem: string | null; known: Outcome | null };
const IDLE: State = { busy: false, part: 0, problem: null, known: null };

function useImport(onClose: () => void) {
  const { api, refreshSessions } = useApp();
  const [state, setState] = useState<State>(IDLE);
  const last = useRef<File | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const taken = (outcome: Outcome) => {
    if (outcome.status === "duplicate") return setState({ ...IDLE, known: outcome });
    refreshSessions();
    onClose();
    if (outcome.session_id) navigate({ page: "session", sessionId: outcome.session_id });
  };
  const take = (given: File | undefined, again = false) => {
    const file = given ?? last.current;
    if (!file) return;
    last.current = file;
    if (file.size > MAX_IMPORT_BYTES) {
      return setState({ ...IDLE, problem: `A file may have at most ${bytes(MAX_IMPORT_BYTES)}.` });
    }
    const { signal } = (stop.current = new AbortController());
    setState({ ...IDLE, busy: true });
    const onPart = (part: number) => setState({ ...IDLE, busy: true, part });
    const target = api.uploadTo(file.name, again ? "/api/import?again=1" : "/api/import");
    sendFile(target, file, { onPart, signal }).then(
      (outcome) => taken(outcome as Outcome),
      (error: unknown) => {
        if (!signal.aborted) setState({ ...IDLE, problem: toApiFailure(error).message });
      },
    );
  };
  return { ...state, take };
}
