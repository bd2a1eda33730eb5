// A button that was pressed. It names the message it is on, and that knows what was asked and which plan was shown.
import type { Admission } from "./admit.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { Button, Press } from "./adapter.ts";
import { actorOf } from "./admit.ts";
import { mayDecide } from "./may-decide.ts";
import type { Ask } from "../labels.ts";

const DATA = /^q:(\d{1,15}):(\d{1,2})$/;

export function buttonsOf(key: number, ask: Ask | null): Button[] {
  return (ask?.choices ?? []).map(({ choice, label }, index) => ({
    data: `q:${key}:${index}`,
    label,
    style: choice === "deny" ? "no" : choice === "once" ? "yes" : "plain",
  }));
}

/** What is said to whoever pressed. */
export async function pressed(
  { journal, store }: Pick<Admission, "journal" | "store">,
  platform: string,
  press: Press,
): Promise<string> {
  const [, key, place] = DATA.exec(press.data) ?? [];
  if (!(await mayDecide(store, platform, press.user_id))) return NOT_YOU;
  const post = key === undefined ? undefined : await store.gatewayPost(Number(key));
  const asked = post?.request;
  // A button of another channel is nobody's here, however its data was come by.
  if (!asked || post.platform !== platform || post.channel_id !== press.channel_id) return UNKNOWN;
  const choice = asked.choices[Number(place)];
  if (choice === undefined) return UNKNOWN;
  const by = actorOf(platform, press);
  const { request_id, run_id: runId, plan_hash } = asked;
  try {
    const outcome =
      asked.kind === "approval"
        ? await journal.commands.respondApproval(
            { runId, approvalId: request_id },
            { choice: choice as never, by, ...(plan_hash !== null && { plan_hash }) },
          )
        : await journal.commands.respondClarify(
            { runId, clarifyId: request_id },
            { response: choice, by },
          );
    return outcome?.safe_message ?? UNKNOWN;
  } catch (error) {
    if (error instanceof ApiError) return error.message.slice(0, 180);
    throw error;
  }
}
const UNKNOWN = "This is no longer asked.";
const NOT_YOU = "You may not answer this: only people who were let in may.";
