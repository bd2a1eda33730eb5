// The diff without making the first screen wait for it.
import { lazy, Suspense } from "react";
import { ErrorBoundary } from "../ui/error-boundary.tsx";

const Diff = lazy(async () => ({ default: (await import("./diff.tsx")).Diff }));

export function LazyDiff(props: { runId: string; checkpointId?: string | undefined }) {
  const broken = () => <p role="alert">The diff cannot be shown. Reload the page to try again.</p>;
  return (
    <ErrorBoundary fallback={broken}>
      <Suspense fallback={<p className="p-bar muted">Reading the diff…</p>}>
        <Diff {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
