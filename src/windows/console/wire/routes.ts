// The routes of the web console's API that are served, and the one for all the others.
import { AUTH, type DialectRoute, type WindowText } from "../../../kernel/dialect/window-doc.ts";
import { CRON_ROUTES } from "./cron-routes.ts";
import { get, post, route } from "./route.ts";

const CHAT: readonly DialectRoute[] = [
  post("/chat/send", "Start a run: `message` or `prompt`; once per message id."),
  post("/chat/background", "Start a run in a session of its own."),
  post("/chat/btw", "A quick ask: knows the conversation, has no tools, and is no part of it."),
  get("/chat/backgrounds", "Runs in the background, the newest first."),
  get("/chat/run/{runId}", "A run: status, answer, usage, error."),
  post("/chat/stop", "Stop a run. It ends as cancelled."),
  post("/chat/retry", "The newest exchange, or a named run, once more."),
  post("/chat/undo", "Leave the newest exchange out of the conversation."),
  post("/chat/compress", "Summarise the conversation; waits a while for the result."),
];

const HUMAN: readonly DialectRoute[] = [
  get("/human/pending", "What waits for a person: approvals, questions, unknown outcomes."),
  post("/human/approve", "once, session or always; the first answer wins."),
  post("/human/deny", "Refuse, with a reason for the agent; of a question: cancel it."),
  post("/human/clarify", "Answer a question, or say what became of an unknown outcome."),
  get("/human/yolo", "Whether everything that would be asked is allowed."),
  post("/human/yolo", "Switch that on or off, for one session."),
];

const SESSIONS: readonly DialectRoute[] = [
  get("/sessions", "q, source, workspace, model, has_tools, limit, offset; the newest first."),
  get("/sessions/{sessionId}", "A session with its recap and lineage."),
  get("/sessions/{sessionId}/transcript", "What was said and done; `compat=client` for its types."),
  post("/sessions/{sessionId}/title", "Rename."),
  route("DELETE", "/sessions/{sessionId}", "Out of every list; its runs are stopped."),
  post("/sessions/{sessionId}/resume", "Open again, also what was deleted."),
  post("/sessions/{sessionId}/branch", "Go on after a message in a session of its own."),
  get("/sessions/{sessionId}/export", "md, json, html or txt, as a file."),
  get(
    "/session-search",
    "Words in messages, tools, files and errors: `query` or `q`, and the filters of `/api/search`.",
  ),
];

const LOGS: readonly DialectRoute[] = [
  get("/logs", "`kind` (or `file`), offset, limit; `follow=1` waits for lines after `offset`."),
];

const SYSTEM_LOG: readonly DialectRoute[] = [
  get("/settings", "Every setting by section, and which are `editable`; secrets as `{present}`."),
  route("PATCH", "/settings", "Change what may be changed here: `{section: {name: value}}`."),
  get("/audit", "Who did what; as `/api/audit`."),
];

const BROWSER: readonly DialectRoute[] = [
  get("/browser/status", "Which browser agents may use, and whether it can be reached."),
  post("/browser/connect", "mode `live_chrome` (with a cdp_url, or the usual one) or `managed`."),
  post("/browser/disconnect", "Take it away again."),
];

const GATEWAY: readonly DialectRoute[] = [
  get("/gateway/overview", "Messengers: what runs, how many are connected, who waits."),
  get("/gateway/platforms", "A card per platform; never a token."),
  get("/gateway/pairing", "Who waits with a code, and who may talk."),
  post("/gateway/pairing/approve", "Let in whoever was given this code."),
  post("/gateway/pairing/revoke", "End it, at once."),
];

const WORKSPACE: readonly DialectRoute[] = [
  get("/workspace/tree", "path or root, depth 0 to 6, include_hidden; at most 200 entries."),
  get("/workspace/file", "path, offset (the first line is 1), limit up to 2000."),
  post("/workspace/file/save", "path, content; waits for the run that saves it."),
  get(
    "/workspace/search",
    "query or q (a text), or pattern (a regular expression); path, file_glob, limit, regex, include_hidden.",
  ),
  get(
    "/workspace/diff",
    "Of a checkpoint_id, a run_id or a session_id; of one path, alone or in one of them.",
  ),
  get("/workspace/checkpoints", "Of a session_id or a workspace, the newest first."),
  post("/workspace/rollback", "Take back what one checkpoint's call did, or one file of it."),
  post("/workspace/exec", "Run a command; waits ten seconds for its end."),
  get("/workspace/git/status", "How the workspace stands, by git."),
  get("/workspace/git/diff", "of, commit, path."),
  get("/workspace/git/log", "limit, offset, path."),
  get("/workspace/git/worktrees", "Where else the repository is worked on."),
  get("/processes", "Commands in the background."),
  get("/processes/{processId}/log", "Lines from offset on; `follow=1` waits for more."),
  post("/processes/{processId}/kill", "End it."),
  post("/processes/{processId}/input", "Type into it: `data`, `text` or `input`."),
];

const MEDIA: readonly DialectRoute[] = [
  post(
    "/media/upload",
    "One `file` as multipart/form-data; its `file_path` is an address of ours.",
  ),
  post("/media/transcribe", "What is said in `file_path`, or that nobody said where that is done."),
  post("/media/tts", "`text`, spoken (`voice`), or that nobody said where that is done."),
];

const MEMORY: readonly DialectRoute[] = ["/memory", "/user-profile"].flatMap((path) => [
  get(path, "Entries, how full it is, who changed it last; `target`, `profile`."),
  post(path, "Add `content`; or as `action` says: add, replace, remove."),
  route("PATCH", path, "Put `content` in the place of `old_text`."),
  route("DELETE", path, "Forget `old_text`."),
]);

const SKILLS: readonly DialectRoute[] = [
  get("/skills", "A profile's skills and their categories."),
  post("/skills/create", "Write a new skill."),
  get("/skills/session/{sessionId}", "Those whose text the session is told."),
  route("DELETE", "/skills/session/{sessionId}/{name}", "Tell its text no more."),
  get("/skills/{name}", "Its Markdown and what is known of it."),
  post("/skills/{name}/load", "Tell the session `session_id` its text."),
  post("/skills/{name}/install", "Inspect `source`; with its `hash`, install it."),
];

const USAGE: readonly DialectRoute[] = [
  get("/usage/insights", "What was used in the last `days`, by day, model, tool and session."),
  get("/usage/session/{sessionId}", "What was used in one session."),
];

const AGENT: readonly DialectRoute[] = [
  get("/tools", "What a `profile`'s runs are offered, without foreign tools."),
  get("/toolsets", "The same in groups; a group is enabled when the profile has one of it."),
  get("/models/active", "The model of new sessions."),
  get("/models/catalog", "Every model that can be chosen, by provider."),
  post("/models/switch", "`model`, `provider`: of `session_id`, else of new sessions."),
  get("/profiles", "Profiles, with the one of new sessions."),
  get("/mcp/servers", "Servers of foreign tools of a `profile`; they start with a run."),
];

const FALLBACK: readonly DialectRoute[] = (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map(
  (method) => route(method, "/*", "Not served: says so in the capability envelope."),
);

/** The routes of a feature: they are deleted with it. */
function of(_room: `features/${string}`, routes: readonly DialectRoute[]): readonly DialectRoute[] {
  return routes;
}

export const CONSOLE_ROUTES: readonly DialectRoute[] = [
  get("/health", "Whether the server answers. Needs no token."),
  get("/meta", "Version, paths, what works."),
  get("/version", "The version."),
  ...CHAT,
  ...SESSIONS,
  ...HUMAN,
  ...WORKSPACE,
  ...CRON_ROUTES,
  ...of("features/messengers", GATEWAY),
  ...of("features/voice", MEDIA),
  ...of("features/memory", MEMORY),
  ...of("features/skills", SKILLS),
  get("/commands", "Slash commands, for completion."),
  get("/metrics/global", "Usage today and load: the client's heartbeat."),
  ...of("features/insights", USAGE),
  get("/stream/session/{sessionId}", "SSE: `history=1`, `run_id`, `Last-Event-ID`."),
  ...of("features/logs", LOGS),
  ...SYSTEM_LOG,
  ...of("features/browser", BROWSER),
  ...AGENT,
  ...FALLBACK,
  {
    method: "GET",
    path: "/app",
    summary: "And `/app/`: sends to the page at `/`. Needs no token.",
  },
];

export const CONSOLE_TEXT: WindowText = {
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
};
