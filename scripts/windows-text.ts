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
      "A session over SSE. Frames are unnamed and have an `id:`; `Last-Event-ID` goes on after it, `history=1` begins at the beginning, `run_id` leaves the other runs out.",
    open: `curl -N "$U/api/gui/stream/session/SESSION?history=1" ${AUTH}`,
    degrades: [
      "Events the console has no name for keep their own; its clients pass over names they do not know.",
      "A subagent's events are called `subagent.…`: the client shows one conversation and would take them for the agent's. What a subagent asks for has its plain name.",
      "An unknown outcome is a clarification (`clarify.requested`), answered like one.",
      "Transcript items have the document's types; the unmodified client knows only its own (`human`, `assistant`). It gets them when the origin of its page is in `allowed_origins` (behind a proxy too: the `Referer` counts), or when a proxy adds `X-Console-Compat: client` or `?compat=client`.",
      "A cancelled run ends with `run.failed` and `error_type: cancelled`: the client knows no other end, and its spinner would stay.",
      "What is not there is `not_found`; `error.details.reason` says what is missing (`session_not_found`, `run_not_found` …).",
      "Events outside any run have `run_id: null`, and so has the heartbeat (`type: ping`), which comes in the same envelope and is no event: it is not replayed.",
      "`chat/send` to a session whose run is still going answers `status: started` with `queued: true`: the document has no other word.",
      "`usage` of a run counts every model call that was made for it, the one for the session's title too. A cost nobody knows is `null`, but for the report of `/usage/insights`, whose client calculates with it: there it is 0 with `has_pricing: false`.",
    ],
  },
  hud: {
    title: "HUD",
    shows:
      "A session over a WebSocket: its past with `replay: true`, then what happens. It takes no commands; whoever comes back gets the past again, with the same ids.",
    open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/hud/ws?session_id=SESSION"`,
    degrades: [
      "No words of the agent: messages are previews, its answer is a turn that ends. Thoughts are told whole, when they end.",
      "What waits for a person is `received` with a subtype of our own (`approval`, `clarify`, `unknown_outcome`), pending and then settled; `href` says where to answer.",
      "Plans and to-dos are only the calls that made them; a plan that is handed over is `received handover`.",
      "Texts are cut at 16 KiB, with their size and a reference to the whole: `full` in a result, `argsTruncated` and `argsFull` beside arguments.",
      "`id` is a UUID made of the event's hash (version 8), so that an event has the same id in every replay; only `reconnect`, which is about one connection, has a random one.",
      "The `correlationId` of a tool is `call_<run>.<call>`: providers use their call ids again. A turn is a run and begins when the run begins. A subagent's turn has the call that started it as its `parentId`.",
      "`area` of a read is the lines that were read, from the first to the last of them; `mentionedPaths` are words of a command that look like paths, whether they exist or not.",
      "`new_session` is told in the new session only; `kill` is a background command that was ended, `handover` another runner that goes on or a plan that was given back.",
    ],
  },
  daemon: {
    title: "Daemon",
    shows:
      "Every session over one WebSocket, in the flat envelope; `eventId` is the session's own number and never goes back. `snapshot.request` gives a session's past, also after a `lastEventId`.",
    open: `npx wscat -H "authorization: Bearer $T" -c "$W/api/daemon/ws"    # then: {"method":"sessions.list"}`,
    degrades: [
      "A question, an unknown outcome and a used-up budget are permission requests: the text says what Approve and Deny answer. Any other answer is given with `clarify.response`, or in another window.",
      "How a request ended is `permission.response {requestId, approved, via}`, whoever answered it and wherever; one that nobody answered in time was not approved. An answer of a client needs the `requestId` only.",
      "Of several calls in one answer the first is told when it is planned, the others when they start or ask, so that only calls that run at the same time look parallel. A call that was refused before it could start is told by its `stream.tool_completed` alone.",
      "`parentStepId` on text, thinking and calls names the running step as its `stepId` does, `toolUseId` on a request the call that asks: facts about what happened, and no tree.",
      "What a subagent asks for stands at the call that started it; of its inner work only its start, its end and its tokens are told.",
      "Calls of the `plan` tool are not told, only what they make of the plan: the client would count them twice.",
      "A cut step is `stream.error`; what it said stays, and the step's words come again.",
      "Types of newer builds pass as `quarterdeck.…`, those that were made for this protocol (`x.stream.…`) under their own method.",
    ],
  },
  terminal: {
    title: "Terminal channel",
    shows:
      "A peer's session over a WebSocket: acknowledgements, what waits, and the final reply, each as a text. What it missed is sent when it connects again.",
    open: `qd terminal    # or, to see the frames:\nnpx wscat -c "$W/api/channels/terminal-dev/ws"    # then: {"type":"connect","peer_id":"me","token":"…"}`,
    degrades: [
      "Words only, and only when a person has to read them: what is asked, and how it ended. No deltas, no tools.",
      "What waits says which words answer it (`yes`, `session`, `always`, `no`; a choice; `check`, `retry`, `mark done`, `skip`); the next message is read as one.",
      "One thing at a time: of two that wait, the second is told when the first is settled. While something waits, a message that answers nothing is answered with the question again, and not run.",
      "A device needs the token: in the `Authorization` header, as `token` in `connect`, or, where only its address can be set, as the password in that (`ws://device:TOKEN@host/…`). With `--no-auth` (loopback only) it needs none.",
      "`finish_reason` is also `needs_input` (with a `request_id`) and `cancelled`. Ids may have any characters: a `peer_id` up to 1,024 bytes, a `message_id` up to 1,100.",
      "`quarterdeck terminal` in a pipe gives up when the server was away for 30 s (`--wait`), writes what went wrong to standard error and never as a reply, and logs ids with `--verbose`. An acknowledgement that takes more than 10 s is asked for again with the same id.",
    ],
  },
  webui: {
    title: "Browser run stream",
    shows:
      "A run with its subagents over SSE with named events and `id: <run>:0<n>`. `after_event_id`, `after_seq` or `Last-Event-ID` go on after it; an unusable cursor begins at the beginning.",
    open: `curl -N "$U/api/chat/stream?stream_id=RUN" ${AUTH}`,
    degrades: [
      "What has no event of its own is `context_status {kind, detail}`: a client shows or ignores it. So is an answer that was given elsewhere.",
      "A goal that goes on does so by itself; there is no prompt in `goal_continue`, or a client would send it and the work would be done twice.",
      "`done` has this run's exchange, not the whole conversation (`_messages_truncated`).",
      "Of subagents only what they ask for. Types without a dot are not passed on: they could be names the client knows.",
      "What a call prints on the way is `tool_update {tid, channel, delta}`, a name of ours that its clients pass over; `tool_complete` has `result`, `exit_code` and `output`, each at most 8,192 characters a text.",
      "Numbers of ids are positions in the session and begin with a zero (`<run>:042`): an id of this window is refused by `/api/runs/{id}/events`, which numbers the run's own events, and one of that stream used here may repeat frames, never skip any.",
      "`/api/chat/start` with a command as its message (`/compress`, `/retry`, `/goal …`; the list is `GET /api/commands`) answers the run it became, or a run that is over and says what was done. A command is taken while a run is active, any other message is 409.",
    ],
  },
  "webui-session": {
    title: "Browser session channel",
    shows:
      "Over SSE that something began, ended, asks or changed in a session. Hints only: the page then asks what.",
    open: `curl -N "$U/api/session/stream?session_id=SESSION" ${AUTH}`,
    degrades: ["Says that there is something new, never what."],
  },
  "v1-runs": {
    title: "/v1/runs",
    shows:
      "A run with its subagents, as SSE with ids for any number of readers, or as JSON after `?cursor=` for clients that poll.",
    open: `curl -N $U/v1/runs/RUN/events ${AUTH} -H "accept: text/event-stream"`,
    degrades: [
      "Plans, files, checkpoints, background commands and usage on the way are not told; the end has the usage.",
      "Of subagents their start, their end and what they ask for (with `subagent_run_id`).",
      "An unknown outcome is `clarify.request` with `kind: unknown_outcome`.",
      "`status` of a run that was started with `message` has the run contract's words (`awaiting_approval`, `cancelling`, `expired`); of one started with `input` those of hermes-agent (`waiting_for_approval`, `stopping`, `interrupted`). `lifecycle` always has the contract's.",
      "Controls answer a result `{accepted, status, event_id, safe_message, …}` with 200, also when they are late (`not-active`) or repeated (`duplicate`). Only `stop`, `steer` and an approval without `approval_id` answer too late with hermes-agent's 409.",
    ],
  },
  responses: {
    title: "/v1/responses",
    shows:
      "A run as a response, streamed with `sequence_number`; `GET ?stream=true&starting_after=N` goes on after it, `background: true` lets go of it.",
    open: `curl -N $U/v1/responses ${AUTH} ${JSON_BODY} -d '{"model":"demo/demo","input":"say hello","stream":true}'`,
    degrades: [
      "A tool that the server executes is an `mcp_call`: clients take a `function_call` for their own job. `X-Quarterdeck-Tool-Items: function_call` gives hermes-agent's items instead.",
      "An approval is `mcp_approval_request`, a question or an unknown outcome a call of `quarterdeck_clarify` or `quarterdeck_unknown_outcome`; and each is said in words, which are taken back when it is answered.",
      "What a cut step said is taken back: its item ends as `incomplete` and empty.",
      "A cancelled run ends with `response.incomplete`; the object's `status` says `cancelled`.",
      "Plans, to-dos, files and subagents' inner work are not told.",
    ],
  },
  "chat-completions": {
    title: "/v1/chat/completions",
    shows:
      "A run as one message, streamed or at its end. The format has no cursor: who loses the stream has the run in every other window.",
    open: `curl -N $U/v1/chat/completions ${AUTH} ${JSON_BODY} -d '{"model":"demo/demo","stream":true,"messages":[{"role":"user","content":"say hello"}]}'`,
    degrades: [
      "Everything a run says is one message. Words cannot be taken back: what follows a cut step begins with `[interrupted, again:]`.",
      "What waits is said in the message, with the request to answer it; so is the answer.",
      "Tools are `event: hermes.tool.progress`, and an empty chunk to clients that know chunks only.",
      "A cancelled run says `[cancelled]`; a failed one ends with `finish_reason: error`, then a frame of its own with nothing but `error`.",
    ],
  },
};
