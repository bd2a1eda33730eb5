// The messages of a session as of one event. Read from the journal for every request, so a replay of an old run ends
// with the same text, whatever was said or undone since.
import type { JournalReads } from "../../kernel/journal/journal.ts";
import { scoped } from "../../kernel/dialect/call-index.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { toArray } from "../../kernel/state/vector.ts";
import { sessionRuns } from "../../kernel/server/feed/sessions/runs.ts";

const MAX_MESSAGES = 200;
const MAX_CHARS = 262_144;
const PAGE = 200;

export type PageMessage = {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly message_id: string;
  readonly timestamp: number;
  readonly stream_id: string;
  readonly reasoning?: string;
  readonly _source?: "goal" | "steer";
};
export type Transcript = {
  readonly messages: readonly PageMessage[];
  readonly _messages_truncated: boolean;
};

/** Newest first until there is enough; `until`: the session's newest event that counts. */
export async function transcript(
  journal: JournalReads,
  { sessionId, until }: { sessionId: string; until: number },
): Promise<Transcript> {
  const messages: PageMessage[] = [];
  let chars = 0;
  for await (const run of sessionRuns(journal, sessionId, until)) {
    for (const message of messagesOf(run).toReversed()) {
      chars += message.content.length + (message.reasoning?.length ?? 0);
      const full = messages.length >= MAX_MESSAGES || (chars > MAX_CHARS && messages.length > 0);
      if (full) return { messages, _messages_truncated: true };
      messages.unshift(message);
    }
  }
  return { messages, _messages_truncated: false };
}

/** What a model thought stands with what it said next, or alone when it said nothing. */
function messagesOf({ runId: stream_id, items }: RunState): PageMessage[] {
  const run = { run_id: stream_id };
  const messages: PageMessage[] = [];
  let thought: { text: string; id: string; at: number } | undefined;
  const flush = () => {
    if (!thought) return;
    const { text: reasoning, id: message_id, at: timestamp } = thought;
    const said = { role: "assistant", content: "", reasoning } as const;
    messages.push({ ...said, message_id, timestamp, stream_id });
    thought = undefined;
  };
  for (const item of toArray(items)) {
    if (item.kind === "reasoning" && !item.superseded) {
      flush();
      thought = { text: item.text, id: scoped(run, item.reasoningId), at: item.at };
    } else if (item.kind === "user" && !item.retracted) {
      flush();
      const { text: content, messageId: message_id, at: timestamp, mode } = item;
      const from = mode === "goal" || mode === "steer" ? { _source: mode } : {};
      messages.push({ role: "user", content, message_id, timestamp, stream_id, ...from });
    } else if (item.kind === "text" && !item.superseded && item.text !== "") {
      const { text: content, at: timestamp } = item;
      const message_id = scoped(run, item.messageId);
      const reasoning = thought ? { reasoning: thought.text } : {};
      messages.push({ role: "assistant", content, message_id, timestamp, stream_id, ...reasoning });
      thought = undefined;
    }
  }
  flush();
  return messages;
}

/**
 * The title as of that event. What people and prompts give is in the session's own log; the model's is in the log
 * of a run, once, and never after a person's.
 */
export async function titleAt(
  journal: JournalReads,
  sessionId: string,
  until: number,
): Promise<string> {
  let [title, isPersons, isNewest] = ["", false, true];
  for (let after = 0; ;) {
    const rows = (await journal.readRun(sessionId, after, PAGE))?.rows ?? [];
    for (const [seq, sessionSeq, body] of rows) {
      after = seq;
      const event = JSON.parse(body) as RunEvent;
      if (event.type !== "session.created" && event.type !== "title.updated") continue;
      isNewest = sessionSeq <= until;
      if (!isNewest) break;
      title = event.payload.title;
      isPersons = event.type === "title.updated" && event.payload.source === "user";
    }
    if (!isNewest || rows.length < PAGE) break;
  }
  if (isPersons) return title;
  if (isNewest && (await journal.reads.session(sessionId))?.title === title) return title; // no model gave one
  return (await modelTitle(journal, sessionId, until)) ?? title;
}

async function modelTitle(journal: JournalReads, sessionId: string, until: number) {
  for (let after = 0; after < until;) {
    const rows = (await journal.readSession(sessionId, after, PAGE))?.rows ?? [];
    for (const [, sessionSeq, body] of rows) {
      after = sessionSeq;
      if (sessionSeq > until || !body.includes('"title.updated"')) continue;
      const event = JSON.parse(body) as RunEvent;
      if (event.type === "title.updated" && event.payload.source === "model") {
        return event.payload.title;
      }
    }
    if (rows.length === 0) break;
  }
  return undefined;
}
