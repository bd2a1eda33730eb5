// Asks the person. The question and its answer live in the journal; waiting survives any restart
// because a recovered call finds its own request there.
import { z } from "zod";
import { findTool } from "../../state/run/state.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import { defineTool, textOutput } from "./tool.ts";

export const clarifyTool = defineTool({
  name: "clarify",
  description: "Ask the user a question when the decision is theirs to make.",
  input: z.object({
    question: z.string().min(1).max(8_192),
    choices: z.array(z.string().min(1).max(500)).max(12).optional(),
  }),
  risk: "none",
  replay: "safe",
  label: ({ question }) => question,
  execute: async ({ question, choices = [] }, { log, item }) => {
    const clarify_id = `cl_${log.claim.runId}_${item.callId}`;
    if (item.request?.kind !== "clarify") {
      await log.append([
        {
          type: "clarify.requested",
          payload: {
            clarify_id,
            call_id: item.callId,
            question,
            choices,
            input_mode: choices.length > 0 ? "choice_or_text" : "text",
            expires_at: null,
          },
        },
        statusDraft("awaiting_clarify"),
      ]);
    }
    for (;;) {
      const request = findTool(log.state, item.callId)?.request;
      const answer = request?.kind === "clarify" ? request.answer : null; // not of an approval to ask
      if (answer) {
        const response = answer.choice ?? "";
        return {
          ok: answer.status === "answered",
          result: { response },
          output: textOutput(response),
        };
      }
      await log.nextChange();
    }
  },
});
