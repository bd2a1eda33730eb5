// The texts of docs/windows.md that cannot be computed: how a window is opened, and what its protocol cannot express.

export type WindowText = {
  readonly title: string;
  /** What a window shows, its transport, and what a client sends to resume. */
  readonly shows: string;
  readonly open: string;
  readonly degrades: readonly string[];
};

const AUTH = '-H "authorization: Bearer $T"';
const JSON_BODY = "-H 'content-type: application/json'";

/** By the dialect's name. */
export const WINDOWS: Readonly<Record<string, WindowText>> = {
  console: {
    title: "Web console",
    shows:
      "A session over SSE. Frames are unnamed and have an `id:`; `Last-Event-ID` resumes after it, `history=1` starts with the first event, `run_id` leaves the other runs out.",
    open: `curl -N "$U/api/gui/stream/session/SESSION?history=1" ${AUTH}`,
    degrades: [
      "Events that the console has no name for keep their own; its clients ignore unknown names.",
      "A subagent's events are called `subagent.…`, because the client shows one conversation and would attribute them to the agent. A subagent's request has its plain name.",
      "An unknown outcome is a clarification (`clarify.requested`), answered like one.",
      "Transcript items have the document's types; the unmodified client knows only its own (`human`, `assistant`). It gets these if the origin of its page is in `allowed_origins` (behind a proxy too: the `Referer` counts), or when a proxy adds `X-Console-Compat: client` or `?compat=client`.",
      "A cancelled run ends with `run.failed` and `error_type: cancelled`, because the client knows no other end, and its spinner would stay.",
      "A missing resource is `not_found`; `error.details.reason` says what is missing (`session_not_found`, `run_not_found` …).",
      "Events outside any run have `run_id: null`. So has the heartbeat (`type: ping`), which has the same envelope but is not an event and is not replayed.",
      "`chat/send` to a session with an active run answers `status: started` with `queued: true`, because the document has no other status.",
      "`usage` of a run counts every model call that was made for it, including the one for the session's title. An unknown cost is `null`, except in `/usage/insights`, whose client calculates with it: there it is 0 with `has_pricing: false`.",
    ],
  },
  hud: {
    title: "HUD",
    shows:
      "A session over a WebSocket: its history with `replay: true`, then live events. It accepts no commands; a client that reconnects gets the history again, with the same ids.",
    open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/hud/ws?session_id=SESSION"`,
    degrades: [
      "No text of the agent: messages are previews, and an answer is only a turn that ends. Thoughts are emitted completely when they end.",
      "A pending request is `received` with our own subtype (`approval`, `clarify`, `unknown_outcome`), pending and then settled; `href` says where to answer.",
      "Plans and to-dos appear only as the calls that made them; a plan that is handed over is `received handover`.",
      "Texts are truncated at 16 KiB, with their size and a reference to the complete text: `full` in a result, `argsTruncated` and `argsFull` beside arguments.",
      "`id` is a UUID derived from the event's hash (version 8), so that an event has the same id in every replay; only `reconnect`, which is about one connection, has a random one.",
      "The `correlationId` of a tool is `call_<run>.<call>`, because providers reuse call ids. A turn is a run and begins with it. A subagent's turn has the call that started it as its `parentId`.",
      "`area` of a read is the range of lines that were read; `mentionedPaths` are words of a command that look like paths, whether they exist or not.",
      "`new_session` is emitted only in the new session; `kill` is a background command that was ended; `handover` is another runner that continues, or a plan that was handed back.",
    ],
  },
  daemon: {
    title: "Daemon",
    shows:
      "Every session over one WebSocket, in the flat envelope; `eventId` is the session's own number and never goes back. `snapshot.request` returns a session's history, also after a `lastEventId`.",
    open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/daemon/ws"    # then: {"method":"sessions.list"}`,
    degrades: [
      "A question, an unknown outcome and a used-up budget are permission requests: the text says what Approve and Deny mean. Any other answer needs `clarify.response`, or another window.",
      "The end of a request is `permission.response {requestId, approved, via}`, whichever window answered it; a request that expired was not approved. A client's answer needs only the `requestId`.",
      "Of several calls in one answer the first is emitted when it is planned, the others when they start or ask, so that only concurrent calls look parallel. A call that was refused before it started is emitted only as `stream.tool_completed`.",
      "`parentStepId` on text, thinking and calls names the running step as its `stepId` does, `toolUseId` on a request the call that asks; these are facts and do not form a tree.",
      "A subagent's request is attached to the call that started it; of its own work only its start, its end and its tokens are emitted.",
      "Calls of the `plan` tool are not emitted, only their effect on the plan, because the client would count them twice.",
      "An interrupted step is `stream.error`; its text stays, and the step's text is emitted again.",
      "Types of newer builds are passed on as `quarterdeck.…`, those that were made for this protocol (`x.stream.…`) under their own method.",
    ],
  },
  terminal: {
    title: "Terminal channel",
    shows:
      "A peer's session over a WebSocket: acknowledgements, pending requests and the final reply, each as a text. Missed texts are sent when it reconnects.",
    open: `qd terminal    # or, to see the frames:\nnpx wscat -c "$W/api/channels/terminal-dev/ws"    # then: {"type":"connect","peer_id":"me","token":"…"}`,
    degrades: [
      "Only text that a person has to read: requests and the end of a run. No deltas, no tools.",
      "A request lists the words that answer it (`yes`, `session`, `always`, `no`; a choice; `check`, `retry`, `mark done`, `skip`); the next message is read as one.",
      "One request at a time: of two pending requests, the second is sent when the first is settled. While a request is pending, a message that does not answer it gets the question again and is not run.",
      "A device needs the token: in the `Authorization` header, as `token` in `connect`, or, if only its address can be set, as the password in that (`ws://device:TOKEN@host/…`). With `--no-auth` (loopback only) it needs none.",
      "`finish_reason` is also `needs_input` (with a `request_id`) and `cancelled`. Ids may have any characters: a `peer_id` up to 1,024 bytes, a `message_id` up to 1,100.",
      "`quarterdeck terminal` in a pipe gives up when the server was away for 30 s (`--wait`), writes what went wrong to standard error and never as a reply, and logs ids with `--verbose`. If an acknowledgement takes more than 10 s, the message is sent again with the same id.",
    ],
  },
  webui: {
    title: "Browser run stream",
    shows:
      "A run with its subagents over SSE with named events and `id: <run>:0<n>`. `after_event_id`, `after_seq` or `Last-Event-ID` resume after it; an unusable cursor starts with the first event.",
    open: `curl -N "$U/api/chat/stream?stream_id=RUN" ${AUTH}`,
    degrades: [
      "An event without its own name is `context_status {kind, detail}`, which a client shows or ignores. So is an answer that was given elsewhere.",
      "A goal continues by itself; `goal_continue` has no prompt, because a client would send it and the work would be done twice.",
      "`done` has only this run's exchange, not the whole conversation (`_messages_truncated`).",
      "Of subagents only their requests are emitted. Types without a dot are not passed on, because the client may know such a name.",
      "Output of a running call is `tool_update {tid, channel, delta}`, our own name, which clients ignore; `tool_complete` has `result`, `exit_code` and `output`, each at most 8,192 characters a text.",
      "Numbers of ids are positions in the session and begin with a zero (`<run>:042`): an id of this window is refused by `/api/runs/{id}/events`, which numbers the run's own events, and one of that stream used here may repeat frames, never skip any.",
      "`/api/chat/start` with a command as its message (`/compress`, `/retry`, `/goal …`; the list is `GET /api/commands`) answers with the run that it became, or with an ended run whose text says what was done. A command is accepted while a run is active; any other message is 409.",
    ],
  },
  "webui-session": {
    title: "Browser session channel",
    shows:
      "Hints over SSE that something began, ended, asks or changed in a session; the page then reads what.",
    open: `curl -N "$U/api/session/stream?session_id=SESSION" ${AUTH}`,
    degrades: ["It says that there is something new, never what."],
  },
  "v1-runs": {
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
  },
  responses: {
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
  },
  "chat-completions": {
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
  },
};
