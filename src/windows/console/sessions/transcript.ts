// The transcript and the tool timeline of a session, bounded to its newest runs.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import {
  forClient,
  timelineOf,
  transcriptOf,
  type TimelineItem,
  type TranscriptItem,
} from "../wire/transcript.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { sessionRuns } from "../../../kernel/server/feed/sessions/runs.ts";
import { both, take } from "../envelopes.ts";
import { requireSession } from "./session-view.ts";
import { isMeanwhile } from "../stream/cursor.ts";

const MAX_ITEMS = 2_000;
const MAX_CHARS = 4_194_304;
const Query = z.looseObject({ compat: z.string().max(20).optional() });

export type Emitted = {
  readonly items: readonly TranscriptItem[];
  readonly tools: readonly TimelineItem[];
  readonly truncated: boolean; // there is more before it
};

export function transcriptPages({ journal, auth }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/sessions/:sessionId/transcript", async (request) => {
      const { session_id, seq, created_at } = await requireSession(journal, request);
      const { items: all, tools, truncated } = await emit(journal, session_id, seq);
      // A page that has read this opens its stream next, and adds what that tells to what is here.
      const items = isMeanwhile(created_at) ? all.filter((item) => !isUnfinished(item)) : all;
      const emitted = wantsClientTypes(request, auth) ? items.map(forClient) : items;
      return both({ session_id, items: emitted, tool_timeline: tools, tools, truncated });
    });
  };
}

const isUnfinished = ({ type, finish_reason }: TranscriptItem) =>
  type === "assistant_message" && finish_reason === null;

/**
 * One field cannot hold both names of a type. `?compat=client` or `x-console-compat: client` give the real
 * client's, `document` the document's. The real client sends neither: a page of an origin in `allowed_origins` is
 * taken for one. Behind a proxy its requests have no `Origin`, but the address of the page as `Referer`.
 */
function wantsClientTypes(
  { query, headers }: FastifyRequest,
  { origins }: AppDeps["auth"],
): boolean {
  const asked = take(Query, query).compat ?? headers["x-console-compat"];
  if (asked !== undefined) return asked === "client";
  const page = headers.origin ?? headers.referer ?? "";
  return URL.canParse(page) && origins?.has(new URL(page).origin) === true;
}

/** The newest runs that fit, told from the oldest of them on. */
export async function emit(journal: Journal, sessionId: string, until: number): Promise<Emitted> {
  const items: TranscriptItem[] = [];
  const tools: TimelineItem[] = [];
  let chars = 0;
  for await (const run of sessionRuns(journal, sessionId, until)) {
    const more = transcriptOf(run);
    chars += more.reduce((sum, { content }) => sum + content.length, 0);
    const full = items.length + more.length > MAX_ITEMS || chars > MAX_CHARS;
    if (full && items.length > 0) return { items, tools, truncated: true };
    items.unshift(...(full ? more.slice(-MAX_ITEMS) : more));
    tools.unshift(...timelineOf(run));
    if (full) return { items, tools, truncated: true };
  }
  return { items, tools, truncated: false };
}
