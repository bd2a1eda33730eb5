// Whether what is on the screen is the present, and if not, how old it is.
import type { ConnectionState } from "../../client/connection.ts";
import { duration } from "../text/format.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { useNow } from "../ui/use-now.ts";
import { useLive } from "./use-session.ts";

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

export function ConnectionPill() {
  const { state, lastFrameAt } = useLive(({ connection }) => connection);
  const { label, tone, title } = PILL[state];
  return (
    <Badge tone={tone} status={state} title={title} dot>
      {label}
      {state !== "live" && lastFrameAt !== null && <Age since={lastFrameAt} />}
    </Badge>
  );
}

function Age({ since }: { since: number }) {
  const now = useNow(1_000);
  return <span>· shown as of {duration(Math.max(0, now - since))} ago</span>;
}
