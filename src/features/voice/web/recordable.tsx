// A recording takes the place of the composer's buttons while it goes on. Give it the place as its key: another
// place has none of it.
import { lazy, Suspense, useState, type ReactNode } from "react";
import { ErrorBoundary } from "../../../web/ui/error-boundary.tsx";
import { RecordButton } from "./record-button.tsx";

const RecorderBar = lazy(async () => ({
  default: (await import("./recorder-bar.tsx")).RecorderBar,
}));

type RecordableProps = {
  place: string;
  /** What there is to say when it is over. */
  onOver: (problem: string | null) => void;
  /** The buttons, with the one that begins it. */
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
