// A running recording and its buttons. If the person leaves, it is kept with its draft.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useApp } from "../../../web/app-context.ts";
import { Button } from "../../../web/ui/button.tsx";
import { dictate } from "./dictation.ts";
import styles from "./media.module.css";
import { startRecording, type Recording } from "./recording.ts";
import { useVoice } from "./use-voice.ts";

type BarProps = {
  place: string;
  /** Called with a message, if any. */
  onOver: (problem: string | null) => void;
};

export function RecorderBar(props: BarProps) {
  const { recording, isHearing, keep } = useRecorder(props);
  if (isHearing) {
    return (
      <div className={styles.recorder} data-recorder="hearing">
        <span role="status">Transcribing…</span>
        <Button onClick={keep}>Keep the recording</Button>
      </div>
    );
  }
  if (!recording) {
    return (
      <div className={styles.recorder} data-recorder="asking">
        <span role="status">Waiting for the microphone…</span>
        <Button tone="quiet" onClick={() => props.onOver(null)}>
          Cancel
        </Button>
      </div>
    );
  }
  return <Going recording={recording} />;
}

function Going({ recording }: { recording: Recording }) {
  const stopButton = useRef<HTMLDivElement>(null);
  const seconds = useSeconds();
  useEffect(() => stopButton.current?.querySelector("button")?.focus(), []);
  useWarning();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation(); // it ends the recording, not the run
    recording.cancel();
  };
  return (
    <div className={styles.recorder} data-recorder="recording" onKeyDown={onKeyDown} role="group">
      <span className={styles.dot} aria-hidden="true" />
      <span className="visually-hidden" role="status">
        Recording
      </span>
      <span className={styles.time} role="timer">
        {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, "0")}
      </span>
      <Button tone="quiet" onClick={recording.cancel}>
        Cancel
      </Button>
      <div ref={stopButton}>
        <Button icon="stop" onClick={recording.stop}>
          Stop
        </Button>
      </div>
    </div>
  );
}

function useRecorder({ place, onOver }: BarProps) {
  const { api, outbox } = useApp();
  const { transcription: hears } = useVoice();
  const [recording, setRecording] = useState<Recording | null>(null);
  const [isHearing, setHearing] = useState(false);
  const asKept = useRef(new AbortController());
  const latest = useRef({ hears, onOver });
  useEffect(() => {
    latest.current = { hears, onOver };
  });
  useEffect(() => {
    let isLeft = false;
    let started: Recording | null = null;
    const { signal } = asKept.current;
    const record = async (): Promise<string | null> => {
      started = await startRecording();
      if (isLeft) started.cancel();
      setRecording(started);
      const file = await started.file;
      setHearing(latest.current.hears);
      const { uploads } = outbox;
      return dictate(file, { place, api, uploads, hears: latest.current.hears, signal });
    };
    record().then(
      (problem) => !isLeft && latest.current.onOver(problem),
      (error: Error) =>
        !isLeft && latest.current.onOver(error.message === "cancelled" ? null : error.message),
    );
    return () => {
      isLeft = true;
      started?.stop(); // what was said is kept
    };
  }, [api, outbox, place]);
  return { recording, isHearing, keep: () => asKept.current.abort() };
}

function useSeconds(): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = performance.now();
    const tick = () => setSeconds(Math.floor((performance.now() - began) / 1_000));
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}

/** Warns before leaving the page would lose the recording. */
function useWarning(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
}
