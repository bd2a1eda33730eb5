// The scrubber: selects the moment that all views, files and costs show. Its end is now.
import { useAction } from "../keys/actions.ts";
import { useLive, useSource } from "../session/use-session.ts";
import { exactTime } from "../text/format.ts";
import { Button } from "../ui/button.tsx";
import { adjust } from "../use-route.ts";
import styles from "./scrubber.module.css";

export function Scrubber() {
  const { at, recording } = useSource();
  const head = useLive(({ session }) => session.seq);
  const moment = at === null ? head : Math.min(at, head);
  const go = (to: number) => adjust({ at: to >= head ? undefined : Math.max(0, to) });
  const event = recording.at(moment);

  useScrubKeys({ at, moment, head, go });
  if (head === 0) return null;
  return (
    <div className={styles.scrubber} data-status={at === null ? "now" : "past"}>
      {at !== null && (
        <div className={styles.moment}>
          <span className="min-w-0 ellipsis">
            Event {moment} of {head}
            {event && ` · ${event.type} · ${exactTime(event.created_at)}`}
          </span>
          <Button icon="play" onClick={() => go(head)}>
            Back to now
          </Button>
        </div>
      )}
      <input
        type="range"
        className={styles.range}
        min={0}
        max={head}
        value={moment}
        aria-label="Moment"
        aria-valuetext={at === null ? "now" : `event ${moment} of ${head}`}
        onChange={(change) => go(Number(change.target.value))}
      />
      <span className={styles.count}>{head} events</span>
    </div>
  );
}

type ScrubKeys = { at: number | null; moment: number; head: number; go: (to: number) => void };

function useScrubKeys({ at, moment, head, go }: ScrubKeys): void {
  useAction({
    id: "scrub.back",
    title: "One event back",
    section: "View",
    keys: ["["],
    unavailable: moment === 0 ? "This is the beginning" : null,
    run: () => go(moment - 1),
  });
  useAction({
    id: "scrub.forward",
    title: "One event forward",
    section: "View",
    keys: ["]"],
    unavailable: at === null ? "This is now" : null,
    run: () => go(moment + 1),
  });
  useAction({
    id: "scrub.now",
    title: "Back to now",
    section: "View",
    keys: ["."],
    unavailable: at === null ? "This is now" : null,
    run: () => go(head),
  });
}
