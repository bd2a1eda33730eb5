// Messages not acted on yet: unread steers and queued messages. Pure.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { Attachment } from "../../kernel/events/catalogue/lifecycle.ts";
import { directCall } from "../../kernel/events/direct.ts";
import type { UserItem } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { get, values } from "../../kernel/state/vector.ts";

/** A turn reads everything sent before it started. */
export function unreadSteers(run: RunState): readonly UserItem[] {
  if (isTerminal(run.status) || run.status === "cancelling") return [];
  const from = run.turn?.firstItem ?? 0;
  return [...values(run.items, from)].filter(isOpenSteer);
}

function isOpenSteer(item: { readonly kind: string }): item is UserItem {
  const steer = item as UserItem;
  return steer.kind === "user" && steer.mode === "steer" && !steer.retracted;
}

export type Queued = {
  readonly runId: string;
  readonly messageId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly command: boolean; // not words for a model: it cannot be rewritten, only taken back
};

/** The queued messages behind the active run, in order. */
export function queuedOf({
  session,
  runs,
}: Pick<SessionView, "session" | "runs">): readonly Queued[] {
  return session.queue
    .filter(({ runId }) => (runs[runId]?.status ?? "queued") === "queued")
    .map(({ runId, messageId, text }) => {
      const run = runs[runId];
      const said = run && get(run.items, 0);
      const command = run !== undefined && directCall(run) !== undefined;
      const words = said?.kind === "user" ? said : { text, attachments: [] };
      return { runId, messageId, text: words.text, attachments: words.attachments, command };
    });
}
