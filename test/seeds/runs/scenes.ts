// The runs that the rows of the run contract look at: each plays one part of the document and keeps what was answered.
import { join } from "node:path";
import type { Server } from "../../support/http.ts";
import { processesWith, textOf as fileText } from "../../support/runs.ts";
import { until } from "../../support/until.ts";
import * as page from "../../support/windows/webui.ts";
import * as r from "./record.ts";

const answer = (server: Server, path: string, body: object, headers = {}) =>
  page.ask(server, "POST", path, body, headers);

/** Thinks, speaks, runs a command that is asked about, asks a question, and ends. */
export async function full(server: Server) {
  const script =
    "pace 0\nthink Let me look.\nsay I look first.\nexec echo out; echo err 1>&2; exit 3\n" +
    "clarify Which way? | left | right\ntodo one; two\nsay All done.";
  const asked = { session_id: "full", message: script, message_id: "m-full" };
  const started = await answer(server, "/api/chat/start", asked);
  const id = String(started.body["stream_id"]);
  const same = await answer(server, "/api/chat/start", asked);
  const busy = await answer(server, "/api/chat/start", { session_id: "full", message: "more" });
  const other = await answer(server, "/api/chat/start", { ...asked, message: "other" });
  const atApproval = await r.untilStatus(server, id, "awaiting_approval");
  const approvalView = await r.viewOf(server, id);
  const approvalCard = await page.ask(server, "GET", "/api/approval/pending?session_id=full");
  const watching = Promise.all([page.watchChat(server, id), page.watchChat(server, id)]);
  const approvalId = String(atApproval["pending_approval_id"]);
  const approve = { session_id: "full", choice: "once", approval_id: approvalId };
  const approvals = [
    await answer(server, "/api/approval/respond", { ...approve, approval_id: "ap_gone" }),
    await answer(server, "/api/approval/respond", approve),
    await answer(server, "/api/approval/respond", approve),
    await answer(server, "/api/approval/respond", { ...approve, choice: "deny" }),
  ] as const;
  const atClarify = await r.untilStatus(server, id, "awaiting_clarify");
  const clarifyId = String(atClarify["pending_clarify_id"]);
  const clarifyCard = await page.ask(server, "GET", "/api/clarify/pending?session_id=full");
  const reply = { session_id: "full", response: "left", clarify_id: clarifyId };
  const clarifies = [
    await answer(server, "/api/clarify/respond", { ...reply, clarify_id: "cl_gone" }),
    await answer(server, "/api/clarify/respond", reply),
    await answer(server, "/api/clarify/respond", reply),
    await answer(server, "/api/clarify/respond", { ...reply, response: "right" }),
  ] as const;
  const [one, two] = await watching;
  const late = {
    approval: await r.control(server, `/api/runs/${id}/approvals/${approvalId}`, {
      choice: "deny",
    }),
    again: await r.control(server, `/api/runs/${id}/approvals/${approvalId}`, { choice: "once" }),
    queue: await r.control(server, `/api/runs/${id}/messages`, { message: "more" }),
    v1Approval: await answer(server, `/v1/runs/${id}/approval`, {
      choice: "once",
      approval_id: approvalId,
    }),
    v1Other: await answer(server, `/v1/runs/${id}/approval`, {
      choice: "deny",
      approval_id: approvalId,
    }),
    v1Gateway: await answer(server, `/v1/runs/${id}/approval`, {
      choice: "deny",
      request_id: approvalId,
    }),
    v1Clarify: await answer(server, `/v1/runs/${id}/clarifications/${clarifyId}/respond`, {
      response: "left",
    }),
    v1Message: await answer(server, `/v1/runs/${id}/messages`, { message: "more" }),
    v1Cancel: await answer(server, `/v1/runs/${id}/cancel`, {}),
  };
  const kept = {
    approvalCard,
    clarifyCard,
    approvals,
    clarifies,
    live: [one.emitted, two.emitted],
  };
  const starts = { started, same, busy, other };
  return {
    ...(await r.record(server, id)),
    starts,
    atApproval,
    approvalView,
    atClarify,
    ...kept,
    late,
  };
}

export async function failed(server: Server) {
  const { stream_id } = await page.startChat(server, "failed", "pace 0\nsay Hm.\nfail boom");
  return r.record(server, stream_id);
}

/** Stopped while a command runs: nothing is written behind it. */
export async function stoppedTool(server: Server, workspace: string) {
  const nap = `sleep 63.${process.pid}`;
  const script = `pace 0\nsay Before.\nexec ${nap}; echo late > late`;
  const { stream_id: id } = await page.startChat(server, "stopped-tool", script);
  const { pending_approval_id } = await r.untilStatus(server, id, "awaiting_approval");
  await r.control(server, `/api/runs/${id}/approvals/${String(pending_approval_id)}`, {
    choice: "once",
  });
  await until(() => processesWith(nap).length > 0, "the command");
  const path = `/api/chat/cancel?stream_id=${id}`;
  const cancels = [await answer(server, path, {}), await answer(server, path, {})];
  const cancelling = await r.statusOf(server, id);
  await page.followChat(() => server, id);
  const native = [
    await r.control(server, `/api/runs/${id}/cancel`),
    await r.control(server, `/api/runs/${id}/cancel`),
  ];
  cancels.push(await answer(server, path, {}));
  await until(() => processesWith(nap).length === 0, "the command to be gone");
  const late = fileText(join(workspace, "late"));
  return { ...(await r.record(server, id)), cancels, native, cancelling, late };
}

export async function stoppedThought(server: Server) {
  const script =
    "pace 30\nthink one two three four five six seven eight nine ten eleven twelve\nsay Never.";
  const { stream_id: id } = await page.startChat(server, "stopped-thought", script);
  const started = await r.untilStatus(server, id, "running");
  const midway = await page.watchChat(server, id, { until: ({ event }) => event === "reasoning" });
  await answer(server, "/api/chat/cancel", { stream_id: id });
  await page.followChat(() => server, id);
  return { ...(await r.record(server, id)), midway: midway.emitted, started };
}

/** Three messages behind a run that waits: in order, one of them taken back. */
export async function line(server: Server) {
  const { stream_id: id } = await page.startChat(server, "line", "pace 0\nexec true\nsay First.");
  const { pending_approval_id } = await r.untilStatus(server, id, "awaiting_approval");
  const queue = (message: string, message_id: string) =>
    r.control(server, `/api/runs/${id}/messages`, { message, message_id, mode: "queue" });
  const queued = [
    await queue("pace 0\nsay Second.", "q1"),
    await queue("pace 0\nsay Third.", "q2"),
  ];
  const gone = await queue("pace 0\nsay Never.", "q3");
  const again = await queue("pace 0\nsay Second.", "q1");
  const waiting = await r.statusOf(server, String(queued[0]?.["run_id"]));
  const standing = await page.ask(
    server,
    "GET",
    `/api/chat/stream/status?stream_id=${String(queued[0]?.["run_id"])}`,
  );
  const cancelled = await r.control(server, `/api/runs/${String(gone["run_id"])}/cancel`);
  const approval = `/api/runs/${id}/approvals/${String(pending_approval_id)}`;
  await r.control(server, approval, { choice: "once" });
  const runs = [];
  for (const run of queued) runs.push(await r.record(server, String(run["run_id"])));
  const removed = await r.record(server, String(gone["run_id"]));
  return {
    first: await r.record(server, id),
    queued,
    again,
    waiting,
    standing,
    cancelled,
    runs,
    removed,
  };
}

/** A subagent asks: its parent shows it, and takes the answer. */
export async function subagent(server: Server) {
  const script = "pace 0\ndelegate Helper: exec echo below\nsay Back.";
  const { stream_id: id } = await page.startChat(server, "sub", script);
  const waiting = await until(async () => {
    const status = await r.statusOf(server, id);
    return status["pending_approval_id"] ? status : undefined;
  }, "the subagent's request");
  const view = await r.viewOf(server, id);
  const path = `/v1/runs/${id}/approval`;
  const approval_id = waiting["pending_approval_id"];
  const first = await answer(server, path, { choice: "once", approval_id });
  await page.followChat(() => server, id);
  return { ...(await r.record(server, id)), waiting, view, first };
}

/** The document's runner client: starts with `message`, reads JSON, and controls by results. */
export async function runnerClient(server: Server) {
  const message = "pace 0\nexec true\nsay Done.";
  const started = await answer(server, "/v1/runs", { session_id: "runner", message });
  const id = String(started.body["run_id"]);
  await r.untilStatus(server, id, "awaiting_approval");
  const view = await r.viewOf(server, id);
  const queued = await answer(server, `/v1/runs/${id}/messages`, { message: "pace 0\nsay Next." });
  const cancelled = await answer(server, `/v1/runs/${id}/cancel`, {});
  await page.followChat(() => server, id);
  await page.followChat(() => server, String(queued.body["run_id"]));
  return { ...(await r.record(server, id)), started, waiting: view, queued, cancelled };
}

/** Says what no window may tell. */
export async function secret(server: Server, key: string) {
  const { stream_id } = await page.startChat(server, "secret", `pace 0\nsay It is ${key}.`);
  await page.followChat(() => server, stream_id);
  return r.record(server, stream_id);
}
