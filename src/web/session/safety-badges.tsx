// Badges for the session's sandbox and approval mode.
import { useApp } from "../app-context.ts";
import { Badge, type Tone } from "../ui/badge.tsx";

const SANDBOX: Record<"none" | "bubblewrap", { label: string; tone: Tone; title: string }> = {
  bubblewrap: {
    label: "Sandboxed",
    tone: "neutral",
    title:
      "Tools run in a sandbox: they can write only inside the workspace and have no network unless it is allowed.",
  },
  none: {
    label: "Not sandboxed",
    tone: "warning",
    title:
      "Commands run as you, without a sandbox. Install bubblewrap to sandbox them; “quarterdeck doctor” says what is missing.",
  },
};

export function SandboxBadge() {
  const { status } = useApp();
  if (!status) return null;
  const { label, tone, title } = SANDBOX[status.sandbox];
  return (
    <Badge
      tone={tone}
      status={status.sandbox === "none" ? "unsandboxed" : "sandboxed"}
      title={title}
    >
      {label}
    </Badge>
  );
}

export function YoloBadge({ size = "whole" }: { size?: "whole" | "short" }) {
  return (
    <Badge
      tone="bad"
      status="yolo"
      title="Everything runs without asking you. Rules that forbid something still hold."
    >
      {size === "whole" ? "Yolo: nothing is asked" : "Yolo"}
    </Badge>
  );
}

export function RecordingBadge() {
  return (
    <Badge
      tone="neutral"
      status="recording"
      title="A recording: nothing in it can be answered or changed"
    >
      Recording
    </Badge>
  );
}
