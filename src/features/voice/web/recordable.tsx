// Replaces the composer's buttons with the recorder while recording. Use the place as its key.
import { Suspense, useState, type ReactNode, useSyncExternalStore } from "react";
import { lazyPart } from "../../../web/ui/lazy-part.ts";
import { ErrorBoundary } from "../../../web/ui/error-boundary.tsx";
import { useAction } from "../../../web/keys/actions.ts";
import { IconButton } from "../../../web/ui/button.tsx";

const RecorderBar = lazyPart(() => import("./recorder-bar.tsx"), "RecorderBar");

type RecordableProps = {
  place: string;
  /** Called with a message, if any, when it is over. */
  onOver: (problem: string | null) => void;
  /** The buttons, including the one that starts recording. */
  children: (recordButton: ReactNode) => ReactNode;
};

export function Recordable({ place, onOver, children }: RecordableProps) {
  const [isRecording, setRecording] = useState(false);
  const begin = () => {
    onOver(null);
    setRecording(true);
  };
  const over = (problem: string | null) => {
    setRecording(false);
    onOver(problem);
    document.getElementById("composer")?.focus();
  };
  if (!isRecording) return children(<RecordButton onPress={begin} />);
  return (
    <ErrorBoundary fallback={() => <p role="alert">The recorder could not be loaded.</p>}>
      <Suspense fallback={null}>
        <RecorderBar place={place} onOver={over} />
      </Suspense>
    </ErrorBoundary>
  );
}

// Starts a recording. The recorder is loaded on first use.
function RecordButton({ onPress }: { onPress: () => void }) {
  return useMicrophone() ? <Present onPress={onPress} /> : null;
}

function Present({ onPress }: { onPress: () => void }) {
  useAction({ id: "composer.record", title: "Record your voice", section: "Run", run: onPress });
  return (
    <IconButton icon="mic" label="Record your voice" title="Record your voice" onClick={onPress} />
  );
}

// Whether recording is possible: a secure page and a microphone. Follows devices that are plugged in or
// removed.
const listeners = new Set<() => void>();
let isThere = false;
let isWatched = false;

function useMicrophone(): boolean {
  return useSyncExternalStore(subscribe, () => isThere);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  watch();
  return () => listeners.delete(listener);
}

/** Over plain HTTP there is no `mediaDevices`, whatever the types say. */
function watch(): void {
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (isWatched || !devices || typeof MediaRecorder === "undefined") return;
  isWatched = true;
  const look = () => void lookAgain(devices);
  devices.addEventListener("devicechange", look);
  look();
}

async function lookAgain(devices: MediaDevices): Promise<void> {
  const found = await devices.enumerateDevices().catch(() => []);
  const now = found.some(({ kind }) => kind === "audioinput");
  if (now === isThere) return;
  isThere = now;
  for (const listener of listeners) listener();
}
