// Whether the shown state is live, and if not, how old it is.
import { useSyncExternalStore } from "react";
import type { ConnectionState } from "../../kernel/client/connection.ts";
import { useApp } from "../app-context.ts";
import { duration } from "../text/format.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { useNow } from "../ui/use-now.ts";
import styles from "./connection-pill.module.css";
import { useLive, useLiveStore } from "./use-session.ts";

const PILL: Record<ConnectionState, { label: string; tone: Tone; title: string }> = {
  connecting: { label: "Connecting", tone: "neutral", title: "Asking the server for this session" },
  live: { label: "Live", tone: "good", title: "What you see is what the journal holds" },
  reconnecting: {
    label: "Reconnecting",
    tone: "warning",
    title: "The connection broke; trying again",
  },
  offline: { label: "Offline", tone: "bad", title: "The server does not answer; trying again" },
  denied: { label: "Not allowed", tone: "bad", title: "The server refused this session" },
};

const WIDEST = PILL.reconnecting.label;
/** States with outdated content. While connecting, nothing is shown yet. */
const OLD: ReadonlySet<ConnectionState> = new Set(["reconnecting", "offline", "denied"]);

/** The server answers, but its database does not. */
const AWAY: (typeof PILL)[ConnectionState] = {
  label: "The database is away",
  tone: "warning",
  title: "Nothing is lost; what you see goes on when the database is back",
};

export function ConnectionPill() {
  const { state, lastFrameAt } = useLive(({ connection }) => connection);
  const { getAway, subscribe } = useApp().storage;
  const away = useSyncExternalStore(subscribe, getAway);
  const { label, tone, title } = away && state !== "offline" ? AWAY : PILL[state];
  return (
    <Badge tone={tone} status={state} title={title} dot>
      <span className={styles.label} data-widest={WIDEST}>
        {label}
      </span>
      {OLD.has(state) && lastFrameAt !== null && <Age since={lastFrameAt} />}
    </Badge>
  );
}

/** The shown state differed from the journal. It is repaired automatically and reported. */
export function DriftMark() {
  const { getDrift, subscribe } = useLiveStore();
  const drift = useSyncExternalStore(subscribe, getDrift).at(-1);
  if (!drift) return null;
  const { label, tone, title } = DRIFT[drift.repaired ? "repaired" : "open"];
  const when = new Date(drift.at).toLocaleTimeString();
  return (
    <Badge
      tone={tone}
      status="drift"
      title={`${title} Noticed at ${when}, event ${drift.sessionSeq}.`}
    >
      {label}
    </Badge>
  );
}

const DRIFT: Record<"repaired" | "open", { label: string; tone: Tone; title: string }> = {
  repaired: {
    label: "Repaired",
    tone: "neutral",
    title:
      "This page showed something else than the journal has. It was read again and is right now.",
  },
  open: {
    label: "Differs",
    tone: "warning",
    title:
      "This page shows something else than the journal has. It is being read again; reload if this stays.",
  },
};

function Age({ since }: { since: number }) {
  const now = useNow(1_000);
  return <span>· shown as of {duration(Math.max(0, now - since))} ago</span>;
}
