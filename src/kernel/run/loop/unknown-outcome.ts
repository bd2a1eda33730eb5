// A call that may or may not have happened. It is shown to a person and never silently repeated.
import { UNKNOWN_OUTCOME_CHOICES } from "../../events/catalogue/tools.ts";
import type { Draft } from "../../events/events.ts";
import type { OpenTool } from "../../state/run/run-items.ts";
import { findTool } from "../../state/run/run-state.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import type { RunLog } from "./run-log.ts";

const LOST = "The runner was lost while this ran";

export function unknownDrafts(log: RunLog, item: OpenTool, why = LOST): Draft[] {
  // Of the attempt as it is now: an id that was used before would take an answer to the one before it.
  const { attempt } = findTool(log.state, item.callId) ?? item;
  return [
    {
      type: "tool.outcome_unknown",
      payload: {
        call_id: item.callId,
        request_id: `un_${log.claim.runId}_${item.callId}_${attempt}`,
        name: item.name,
        message: `${why}: ${item.label}`,
        choices: [...UNKNOWN_OUTCOME_CHOICES],
      },
    },
    statusDraft("awaiting_clarify", "outcome_unknown"),
  ];
}
