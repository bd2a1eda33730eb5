// The routes and streams of `/v1` as docs/windows.md describes them.
import {
  AUTH,
  get,
  JSON_BODY,
  post,
  type DialectRoute,
  type WindowText,
} from "../../../kernel/dialect/window-doc.ts";

export const V1_RUNS_ROUTES: readonly DialectRoute[] = [
  get("/health", "Alive. Needs no token."),
  get("/health/detailed", "Runners, active runs, what waits for a person."),
  get("/v1/health", "Alive. Needs no token."),
  get("/v1/capabilities", "What this server can do, and where."),
  post("/v1/runs", "Start a run: `input` or `message`; `Idempotency-Key` makes it once."),
  get("/v1/runs/{runId}", "Status, output, usage, what waits, what can be done."),
  get("/v1/runs/{runId}/events", "SSE with ids; or JSON after `?cursor=`, waited for."),
  post("/v1/runs/{runId}/approval", "once, session, always or deny; the first answer wins."),
  post("/v1/runs/{runId}/clarifications/{requestId}/respond", "Answer a question."),
  post("/v1/runs/{runId}/steer", "Say something to the running agent."),
  post("/v1/runs/{runId}/messages", "Queue behind the run, or steer it."),
  post("/v1/runs/{runId}/stop", "Stop it. It ends as cancelled."),
  post("/v1/runs/{runId}/cancel", "The same."),
  post("/v1/sessions/{sessionId}/goal", "set, edit, pause, resume, clear, status."),
];

export const V1_OPENAI_ROUTES: readonly DialectRoute[] = [
  { method: "GET", path: "/v1/models", summary: "What can be asked for as `model`" },
  { method: "GET", path: "/v1/models/{model}", summary: "One of them" },
  {
    method: "GET",
    path: "/v1/models/{model}/{rest}",
    summary: "One of them, for clients that do not encode the slash",
  },
  {
    method: "POST",
    path: "/v1/chat/completions",
    summary: "Start a run and get what it says, as a stream or at its end",
  },
  {
    method: "POST",
    path: "/v1/responses",
    summary: "Start a run, or answer what it waits for: at once, as a stream or at its end",
  },
  {
    method: "GET",
    path: "/v1/responses/{response_id}",
    summary: "A run as a response; with `stream=true&starting_after=N` its events after N",
  },
  {
    method: "DELETE",
    path: "/v1/responses/{response_id}",
    summary: "Take the response's conversation out of every list",
  },
  { method: "POST", path: "/v1/responses/{response_id}/cancel", summary: "Stop the run" },
  {
    method: "GET",
    path: "/v1/responses/{response_id}/input_items",
    summary: "What the run was told",
  },
];

export const V1_RUNS_TEXT: WindowText = {
  title: "/v1/runs",
  shows:
    "A run with its subagents, as SSE with ids for any number of readers, or as JSON after `?cursor=` for clients that poll.",
  open: `curl -N $U/v1/runs/RUN/events ${AUTH} -H "accept: text/event-stream"`,
  degrades: [
    "Plans, files, checkpoints, background commands and intermediate usage are not emitted; the end has the usage.",
    "Of subagents their start, their end and their requests are emitted (with `subagent_run_id`).",
    "An unknown outcome is `clarify.request` with `kind: unknown_outcome`.",
    "`status` of a run that was started with `message` has the run contract's values (`awaiting_approval`, `cancelling`, `expired`); of one started with `input` those of hermes-agent (`waiting_for_approval`, `stopping`, `interrupted`). `lifecycle` always has the contract's.",
    "Controls answer with a result `{accepted, status, event_id, safe_message, …}` with 200, also when they are late (`not-active`) or repeated (`duplicate`). Only `stop`, `steer` and an approval without `approval_id` answer too late with hermes-agent's 409.",
  ],
};

export const RESPONSES_TEXT: WindowText = {
  title: "/v1/responses",
  shows:
    "A run as a response, streamed with `sequence_number`; `GET ?stream=true&starting_after=N` resumes after it, `background: true` returns at once.",
  open: `curl -N $U/v1/responses ${AUTH} ${JSON_BODY} -d '{"model":"demo/demo","input":"say hello","stream":true}'`,
  degrades: [
    "A tool that the server executes is an `mcp_call`, because clients would execute a `function_call` themselves. `X-Quarterdeck-Tool-Items: function_call` gives hermes-agent's items instead.",
    "An approval is `mcp_approval_request`, a question or an unknown outcome a call of `quarterdeck_clarify` or `quarterdeck_unknown_outcome`; each is also written as text, which is removed when it is answered.",
    "The text of an interrupted step is removed: its item ends as `incomplete` and empty.",
    "A cancelled run ends with `response.incomplete`; the object's `status` says `cancelled`.",
    "Plans, to-dos, files and subagents' own work are not emitted.",
  ],
};

export const CHAT_TEXT: WindowText = {
  title: "/v1/chat/completions",
  shows:
    "A run as one message, streamed or at its end. The format has no cursor: after a lost stream, the run is still in every other window.",
  open: `curl -N $U/v1/chat/completions ${AUTH} ${JSON_BODY} -d '{"model":"demo/demo","stream":true,"messages":[{"role":"user","content":"say hello"}]}'`,
  degrades: [
    "All text of a run is one message. Text cannot be removed, so the text after an interrupted step begins with `[interrupted, again:]`.",
    "A pending request is written into the message, and so is its answer.",
    "Tools are `event: hermes.tool.progress`, which is an empty chunk to clients that know only chunks.",
    "A cancelled run says `[cancelled]`; a failed one ends with `finish_reason: error`, then a separate frame with only `error`.",
  ],
};
