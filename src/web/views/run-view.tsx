// The same session as chat, tree, timeline or events. All but the chat are fetched when first opened.
import { lazy, Suspense, type ComponentType } from "react";
import { Transcript } from "../transcript/transcript.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import type { ViewName } from "../use-route.ts";
import styles from "./views.module.css";

const LAZY: { [View in Exclude<ViewName, "chat">]: ComponentType } = {
  tree: lazy(async () => ({ default: (await import("../tree/tree-view.tsx")).TreeView })),
  timeline: lazy(async () => ({
    default: (await import("../timeline/timeline-view.tsx")).TimelineView,
  })),
  events: lazy(async () => ({ default: (await import("../events/events-view.tsx")).EventsView })),
  compare: lazy(async () => ({
    default: (await import("../compare/compare-view.tsx")).CompareView,
  })),
};

export function RunView({ view, sessionId }: { view: ViewName; sessionId: string }) {
  if (view === "chat") return <Transcript sessionId={sessionId} />;
  const View = LAZY[view];
  return (
    <div className={styles.view} id="view" role="tabpanel" aria-labelledby={`tab-${view}`}>
      <ErrorBoundary
        key={view}
        fallback={() => <p role="alert">This view broke. The chat shows the same run.</p>}
      >
        <Suspense fallback={null}>
          <View />
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}
