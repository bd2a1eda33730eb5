// The two sources of the browser's streams: one run, or a session across its runs.
import type { JournalReads } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { webuiDialect } from "./wire/webui.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import type { Source } from "../../kernel/server/feed/tail.ts";
import { windowSource } from "../../kernel/server/feed/window.ts";
import { titleAt, transcript } from "./transcript.ts";
import { frameText } from "./wire.ts";

type Followed = { readonly record: RunRecord; readonly sessionId: string; readonly begin: number };

/**
 * A run's end tells the whole session, because a page puts it in the place of what it has. That needs
 * the journal, and framing does not wait: so it is read with the page that holds the end.
 */
export function chatSource(journal: JournalReads, { record, sessionId, begin }: Followed): Source {
  const runId = record.run_id;
  let session: object | undefined;
  const source = windowSource(journal, {
    dialect: webuiDialect,
    sessionId,
    run: { runId, begin },
    text: (frame, event) => {
      const ends = session !== undefined && Object.hasOwn(frame.data, "session");
      const emitted = ends ? { ...frame, data: { ...frame.data, session } } : frame;
      return frameText(runId, emitted, event);
    },
  });
  return {
    ...source,
    async read(after, limit) {
      const page = await source.read(after, limit);
      const last = page?.rows.at(-1);
      if (last && source.ends(last)) session ??= await sessionAt(journal, record, last[1]);
      return page;
    },
  };
}

export async function sessionAt(
  journal: JournalReads,
  { session_id: sessionId, model, workspace, profile }: RunRecord,
  until: number,
): Promise<object> {
  const newest = (await journal.readSession(sessionId, until - 1, 1))?.rows[0];
  const at = newest && (JSON.parse(newest[2]) as RunEvent).created_at;
  const said = await transcript(journal, { sessionId, until });
  return {
    session_id: sessionId,
    title: await titleAt(journal, sessionId, until),
    model,
    model_provider: providerOf(model),
    workspace,
    profile,
    active_stream_id: null,
    updated_at: at ?? null,
    ...(!said._messages_truncated && { message_count: said.messages.length }),
    ...said,
  };
}

export function providerOf(model: string): string {
  return model.split("/", 1)[0] ?? "";
}

/** Ids name the log an event is in: a cursor can be checked against it. */
export function acrossRuns(journal: JournalReads, sessionId: string): Source {
  return windowSource(journal, {
    dialect: webuiDialect,
    sessionId,
    name: "webui-across",
    text: (frame, event) => frameText(event.run_id, frame, event),
  });
}
