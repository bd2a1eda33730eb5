// The session as chat, tree, timeline or events. All but the chat are loaded on first use.
import { Suspense, type ComponentType } from "react";
import { lazyPart } from "../ui/lazy-part.ts";
import { useSession } from "../session/use-session.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import type { ViewName } from "../use-route.ts";
import { Reading } from "./reading.tsx";

const LAZY: { [View in Exclude<ViewName, "chat">]: ComponentType } = {
  tree: lazyPart(() => import("../tree/view.tsx"), "TreeView"),
  timeline: lazyPart(() => import("../timeline/timeline-view.tsx"), "TimelineView"),
  events: lazyPart(() => import("../events/events-view.tsx"), "EventsView"),
  compare: lazyPart(() => import("../../features/compare/web/view.tsx"), "CompareView"),
};

/** Drawn once all history is loaded: drawing it meanwhile would be most of the work. */
export function RunView({ view, sessionId }: { view: ViewName; sessionId: string }) {
  const there = useSession(({ caughtUp }) => caughtUp); // also of a moment whose events are still to come
  return (
    <div
      className="stack fill overflow-hidden"
      id="view"
      role="tabpanel"
      aria-labelledby={`tab-${view}`}
    >
      {!there && <Reading />}
      {there && view === "chat" && <Transcript sessionId={sessionId} />}
      {there && view !== "chat" && <LazyView view={view} />}
    </div>
  );
}

function LazyView({ view }: { view: Exclude<ViewName, "chat"> }) {
  const View = LAZY[view];
  return (
    <ErrorBoundary
      key={view}
      fallback={() => <p role="alert">This view broke. The chat shows the same run.</p>}
    >
      <Suspense fallback={<Reading />}>
        <View />
      </Suspense>
    </ErrorBoundary>
  );
}
