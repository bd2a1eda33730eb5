// The messages of a session: for a client that resumes it, and to find where a branch leaves it.
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { SessionSummary } from "../../../kernel/api/records/records.ts";
import { scoped } from "../../../kernel/dialect/call-index.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import type { RunState } from "../../../kernel/state/run/state.ts";
import { values } from "../../../kernel/state/vector.ts";
import { sessionRuns } from "../../../kernel/server/feed/sessions/runs.ts";
import { ConsoleError } from "../envelopes.ts";

const MAX_MESSAGES = 500;

export type HistoryMessage = {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly message_id: string;
  readonly run_id: string;
};

/** The newest messages, in the order they were said. */
export async function historyOf(
  journal: Journal,
  { session_id, seq }: SessionSummary,
  most: number = MAX_MESSAGES,
): Promise<HistoryMessage[]> {
  const messages: HistoryMessage[] = [];
  for await (const run of sessionRuns(journal, session_id, seq)) {
    messages.unshift(...messagesIn(run));
    if (messages.length >= most) break;
  }
  return messages.slice(-most);
}

function messagesIn(run: RunState): HistoryMessage[] {
  const messages: HistoryMessage[] = [];
  for (const item of values(run.items)) {
    const user = item.kind === "user" && !item.retracted;
    const said = item.kind === "text" && !item.superseded && item.text !== "";
    if (!user && !said) continue;
    const { messageId, text: content } = item;
    const { runId: run_id } = run;
    // As the stream and the transcript name them.
    if (user) messages.push({ role: "user", content, message_id: messageId, run_id });
    else
      messages.push({ role: "assistant", content, message_id: `${run_id}.${messageId}`, run_id });
  }
  return messages;
}

type Wanted = {
  readonly index: number | null | undefined;
  readonly title: string | null | undefined;
  readonly key: string | undefined;
};

/** A session that goes on after the message at `index`; without one, after everything. */
export async function branchAt(journal: Journal, session: SessionSummary, wanted: Wanted) {
  const { session_id } = session;
  const messages = await historyOf(journal, session, Infinity);
  const last = wanted.index === null || wanted.index === undefined ? undefined : wanted.index;
  const point = last === undefined ? undefined : messages[last];
  if (last !== undefined && !point) {
    const message = `There are ${messages.length} messages; ${last} is not one of them.`;
    throw new ConsoleError("invalid_request", message, { session_id });
  }
  const place = point && (await placeOf(journal, point));
  const owner = (point && (await journal.reads.run(point.run_id))?.session_id) ?? session_id;
  // Only what was asked for: a title that was changed meanwhile would make it another command.
  const outcome = await journal.commands.branch(owner, {
    ...(wanted.title && { title: wanted.title }),
    ...(wanted.key !== undefined && { command_id: wanted.key }),
    ...place,
  });
  if (!outcome?.accepted || outcome.session_id === null) {
    const why = outcome?.safe_message ?? "There is nothing to branch from.";
    throw new ConsoleError("nothing_to_retry", why, { session_id });
  }
  return {
    session_id: outcome.session_id,
    parent_session_id: owner,
    title: (await journal.reads.session(outcome.session_id))?.title ?? "",
    message_count: last === undefined ? messages.length : last + 1,
  };
}

const PAGE = 200;

/** The event with which a message was complete. */
async function placeOf(journal: Journal, { run_id, message_id }: HistoryMessage) {
  for (let after = 0; ; after += PAGE) {
    const rows = (await journal.readRun(run_id, after, PAGE))?.rows ?? [];
    for (const [seq, , body] of rows) {
      const event = JSON.parse(body) as RunEvent;
      if (event.type !== "message.completed" && event.type !== "message.user") continue;
      const { message_id: id } = event.payload;
      const outward = event.type === "message.user" ? id : scoped(event, id);
      if (outward === message_id) return { run_id, seq };
    }
    if (rows.length < PAGE) return { run_id };
  }
}
