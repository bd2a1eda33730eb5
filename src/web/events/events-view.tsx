// The journal itself, event by event: nothing is left out and nothing is told in other words. Rows are read
// from the recording when they are drawn; the list follows the end only while it is at the end.
import { useCallback, useMemo, useRef, useState } from "react";
import { useAction } from "../keys/actions.ts";
import { useShownRun } from "../session/shown-run.ts";
import { useLive, useLiveStore } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { Button } from "../ui/button.tsx";
import { GROUPS, GROUP_LABEL, type EventGroup } from "./groups.ts";
import type { Wanted } from "./filter.ts";
import { EventList } from "./list.tsx";
import styles from "./events.module.css";
import { useCursor } from "./use-cursor.ts";
import { useShownEvents, type ShownEvents } from "./use-shown-events.ts";
import { isComposing } from "../keys/composing.ts";

export function EventsView() {
  const [group, setGroup] = useState<EventGroup | null>(null);
  const [text, setText] = useState("");
  const [ofRun, setOfRun] = useState(false);
  const isMeant = useIsMeant(ofRun);
  const wanted = useMemo(() => ({ group, text, isMeant }), [group, text, isMeant]);
  const shown = useShownEvents(wanted);
  const cursor = useCursor(shown);
  const head = useLive(({ session }) => session.seq);
  const caughtUp = useLive((view) => view.caughtUp);
  return (
    <div className={styles.view}>
      <div className={styles.bar}>
        <SearchField text={text} onText={setText} />
        <select
          className={styles.select}
          aria-label="Kind of event"
          value={group ?? ""}
          onChange={({ target }) => setGroup(GROUPS.find((one) => one === target.value) ?? null)}
        >
          <option value="">All kinds</option>
          {GROUPS.map((name) => (
            <option key={name} value={name}>
              {GROUP_LABEL[name]}
            </option>
          ))}
        </select>
        <Button
          tone={ofRun ? "primary" : "quiet"}
          aria-pressed={ofRun}
          onClick={() => setOfRun(!ofRun)}
        >
          Only this run
        </Button>
        <Count shown={shown} head={head} />
      </div>
      {shown.count === 0 && caughtUp && !shown.searching ? (
        <p className={styles.empty}>{head === 0 ? "No events yet." : "No event is like this."}</p>
      ) : (
        <EventList shown={shown} cursor={cursor} />
      )}
    </div>
  );
}

function Count({ shown, head }: { shown: ShownEvents; head: number }) {
  return (
    <span className="ml-auto hint" role="status" aria-label="Events">
      {shown.count === head
        ? plural(head, "event")
        : `${shown.count.toLocaleString("en")} of ${plural(head, "event")}`}
      {shown.searching && " · searching…"}
    </span>
  );
}

function SearchField({ text, onText }: { text: string; onText: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useAction({
    id: "events.find",
    title: "Find in the events",
    section: "View",
    keys: ["/"],
    run: () => field.current?.focus(),
  });
  return (
    <input
      ref={field}
      type="search"
      className={styles.search}
      aria-label="Find in the events"
      placeholder="Find  /"
      value={text}
      onChange={({ target }) => onText(target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
        event.preventDefault();
        if (text !== "") onText("");
        else field.current?.blur();
      }}
    />
  );
}

/** The shown run and its subagents. What a run belongs to stands in its second event. */
function useIsMeant(ofRun: boolean): Wanted["isMeant"] {
  const store = useLiveStore();
  const shownRun = useShownRun();
  const isMeant = useCallback(
    (runId: string) => {
      if (runId === store.sessionId) return false;
      const run = store.getState().runs[runId];
      return run && run.seq > 1 ? run.rootRunId === shownRun : null;
    },
    [store, shownRun],
  );
  return ofRun ? isMeant : null;
}
