// Native API: pending requests of all sessions, and one request by its id.
import type { FastifyPluginAsync } from "fastify";
import { loadRun } from "../../journal/read/load-run.ts";
import type { InboxRequest, RequestView } from "../../api/records/records.ts";
import { inboxApi } from "../../api/routes/inbox.ts";
import { ApiError } from "../../events/errors.ts";
import type { RunState } from "../../state/run/state.ts";
import { toArray } from "../../state/vector.ts";
import type { AppDeps } from "../app.ts";
import { mount } from "../mount.ts";

export function inboxRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return mount(inboxApi, {
    getInbox: () => journal.reads.inbox(),
    getRequest: async ({ params: { requestId } }) => {
      const found = await journal.reads.request(requestId);
      const run = found && (await loadRun(journal, found.request.run_id));
      if (!found || !run) {
        throw new ApiError("request_not_found", `There is no request ${requestId}.`);
      }
      return viewOf(found.request, run, found.answer);
    },
  });
}

/** How it was asked and answered is in the run; the list of requests knows only the answer itself. */
function viewOf(request: InboxRequest, run: RunState, said: string | null): RequestView {
  const { asked, tool, last_text } = findIn(run, request.request_id);
  const answer = asked?.answer ?? null;
  return {
    request,
    status: answer?.status ?? (said === null ? "pending" : statusOf(request, said)),
    answer: answer && {
      choice: answer.choice,
      feedback: answer.feedback,
      by: answer.by,
      at: answer.at,
    },
    reason: asked?.reason ?? null,
    risk: tool?.risk ?? null,
    plan: tool?.plan ?? null,
    run_status: run.status,
    last_text,
  };
}

/** A call that was asked about again shows only its newest request. */
function statusOf({ kind }: InboxRequest, said: string): RequestView["status"] {
  if (said === "") return "expired";
  if (kind !== "approval") return "answered";
  return said === "deny" ? "denied" : "approved";
}

function findIn(run: RunState, requestId: string) {
  let last_text: string | null = null;
  for (const item of toArray(run.items)) {
    if (item.kind === "text" && item.text.trim() !== "") last_text = item.text;
    if ((item.kind !== "tool" && item.kind !== "notice") || item.request?.id !== requestId)
      continue;
    return { asked: item.request, tool: item.kind === "tool" ? item : null, last_text };
  }
  return { asked: null, tool: null, last_text };
}
