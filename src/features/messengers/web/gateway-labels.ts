// Labels for states and modes of messengers.
import type { GatewayPlatformView } from "../records.ts";
import type { Tone } from "../../../web/ui/badge.tsx";

type State = GatewayPlatformView["state"];
type Mode = GatewayPlatformView["mode"];

export const STATE_LABELS: Record<State, { tone: Tone; label: string }> = {
  off: { tone: "neutral", label: "Off" },
  waiting: { tone: "busy", label: "Connecting" },
  connected: { tone: "good", label: "Connected" },
  failed: { tone: "bad", label: "Not connected" },
};

export const MODE_LABELS: Record<Mode, string> = {
  pair: "People you approve with a code",
  allowlist: "Only the ids below",
  open: "Everybody who finds it",
};
export const MODES: readonly Mode[] = ["pair", "allowlist", "open"];

/** One id per line, or separated by commas. */
export function idsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((id) => id !== ""))];
}
