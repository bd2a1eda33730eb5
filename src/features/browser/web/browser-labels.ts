// Labels for the state of the agents' browser. Pure.
import type { BrowserView } from "../records.ts";
import type { Tone } from "../../../web/ui/badge.tsx";

export const USUAL_ADDRESS = "http://127.0.0.1:9222";
/** A separate profile, because Chrome opens no debugging port on the default one. */
export const CHROME_COMMAND =
  'google-chrome --remote-debugging-port=9222 --user-data-dir="$HOME/.chrome-agents"';

type Standing = { readonly tone: Tone; readonly label: string; readonly about: string };

export function standingOf({ mode, reachable, cdp_url, version }: BrowserView): Standing {
  if (mode === null) {
    return { tone: "neutral", label: "Not connected", about: "Agents have no browser." };
  }
  if (mode === "start") {
    const about = reachable
      ? "Agents have a browser of their own, started when one needs it."
      : "Agents may start a browser, but something is missing here.";
    return { tone: reachable ? "good" : "bad", label: reachable ? "Ready" : "Cannot start", about };
  }
  if (reachable) {
    const about = `Agents work in the live browser at ${cdp_url} (${version}).`;
    return { tone: "good", label: "Connected", about };
  }
  const about = `The live browser at ${cdp_url} does not answer. Start it again, or disconnect.`;
  return { tone: "bad", label: "Does not answer", about };
}
