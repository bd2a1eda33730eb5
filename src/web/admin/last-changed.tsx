// Who last changed a file of the home; links to the run if it was an agent.
import type { LastChange } from "../../kernel/api/records/last-change.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Time } from "../ui/time.tsx";

const WHO: Readonly<Record<string, string>> = {
  person: "somebody in the browser",
  console: "somebody in the console",
  hand: "somebody with an editor",
};

export function LastChanged({ last }: { last: LastChange | null }) {
  if (!last) return null;
  const who = Object.hasOwn(WHO, last.by) ? WHO[last.by] : byAgent(last.by);
  return (
    <p className="muted" data-part="last">
      Last change: {visibleLine(last.action)} by {who}, <Time at={last.at} />
    </p>
  );
}

function byAgent(by: string): string {
  return by.startsWith("run ") ? `an agent (${visibleLine(by)})` : visibleLine(by);
}
