// A run as one chat completion: what it said in the end, without what was cut and said again. A run
// that waits for a person is told as it stands, with what it waits for.
import { CANCELLED } from "./chat-completions.ts";
import { chatFinish, chatUsage } from "../openai/ending.ts";
import { waitingNote, type Waiting } from "../openai/waiting.ts";
import { noteId, type OutputItem } from "../responses/items.ts";
import { pendingIn, type ResponsesState } from "../responses/object.ts";

/** `behind`: what other runs wait for that have to end before this one begins. */
export function chatCompletion(state: ResponsesState, behind: readonly Waiting[] = []) {
  const pending = [...pendingIn(state), ...behind];
  const notes = pending.map(waitingNote);
  if (state.status === "cancelled") notes.push(CANCELLED);
  const emitted = new Set(pending.map(({ request_id }) => noteId(request_id)));
  const output = state.output.filter(({ id }) => !emitted.has(id));
  const reasoning = wordsOf(output, "reasoning").join("\n\n");
  return {
    id: `chatcmpl-${state.runId}`,
    object: "chat.completion",
    created: state.createdAt,
    model: state.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: [...wordsOf(output, "message"), ...notes].join("\n\n"),
          refusal: null,
          ...(reasoning !== "" && { reasoning_content: reasoning }),
        },
        logprobs: null,
        finish_reason: chatFinish(state.finish),
      },
    ],
    ...(state.usage && { usage: chatUsage(state.usage) }),
    quarterdeck: {
      run_id: state.runId,
      session_id: state.sessionId,
      status: state.status,
      pending,
    },
  } as const;
}

function wordsOf(output: readonly OutputItem[], type: "message" | "reasoning"): string[] {
  return output.flatMap((item) =>
    (item.type === "message" || item.type === "reasoning") && item.type === type
      ? item.content.map(({ text }) => text).filter((text) => text !== "")
      : [],
  );
}
