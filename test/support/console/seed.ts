// Every JSON example of the console's document, word for word, which clients rely on.

export const ENVELOPES = {
  success: { ok: true, data: {} },
  error: {
    ok: false,
    error: { code: "not_found", message: "Session not found", details: {} },
  },
  capability: {
    ok: true,
    data: {
      supported: false,
      reason: "gateway_service_control_unavailable",
      details: { platform: "darwin" },
    },
  },
};

export const RESOURCES = {
  session: {
    session_id: "sess_123",
    title: "Build Hermes GUI",
    source: "cli",
    workspace: "/home/glitch/.hermes/hermes-agent",
    model: "gpt-5.4",
    provider: "openai-codex",
    last_active: "2026-03-30T02:10:00Z",
    token_summary: { input: 12_000, output: 3_400, total: 15_400 },
    parent_session_id: null,
    has_tools: true,
    has_attachments: false,
    has_subagents: true,
  },
  transcriptItem: {
    id: "msg_123",
    type: "assistant_message",
    role: "assistant",
    content: "Done — I gave Hermes a browser GUI.",
    created_at: "2026-03-30T02:10:00Z",
    metadata: { run_id: "run_123", tool_call_ids: [] },
  },
  timelineItem: {
    id: "tool_123",
    tool_name: "search_files",
    status: "completed",
    started_at: "2026-03-30T02:10:02Z",
    completed_at: "2026-03-30T02:10:03Z",
    duration_ms: 940,
    arguments_preview: { pattern: "api_server", path: "/home/glitch/.hermes/hermes-agent" },
    result_preview: { match_count: 12 },
    error: null,
  },
  pending: {
    request_id: "human_123",
    kind: "approval",
    session_id: "sess_123",
    run_id: "run_123",
    title: "Approve terminal command",
    prompt: "Allow Hermes to run git status in /repo?",
    choices: ["approve_once", "approve_session", "approve_always", "deny"],
    expires_at: "2026-03-30T02:15:00Z",
    sensitive: false,
  },
};

export const CHECKPOINT = {
  checkpoint_id: "cp_123",
  label: "Before destructive file patch",
  created_at: "2026-03-30T02:11:00Z",
  session_id: "sess_123",
  run_id: "run_123",
  file_count: 3,
};

/** Resources that this server does not have, and where a client would ask for them. */
export const UNSERVED_RESOURCES = {
  "/gateway/platforms": {
    platform: "telegram",
    enabled: true,
    configured: true,
    connected: true,
    error: null,
    home_channel: "12345678",
    allowed_mode: "pair",
  },
};

export const HEALTH = { ok: true, data: { status: "ok", product: "hermes-web-console" } };
export const META = {
  ok: true,
  data: {
    product: "hermes-web-console",
    version: "0.1.0",
    gui_mount_path: "/app",
    api_base: "/api/gui",
    stream_base: "/api/gui/stream",
    v1_base: "/v1",
    features: { workspace: true, gateway_admin: true, voice: true },
  },
};
export const VERSIONING = { schema_version: 1 };

export const SEND = {
  request: {
    session_id: "sess_123",
    conversation: "browser-chat",
    message: "Inspect the API server and summarize its routes.",
    instructions: "Be concise.",
    attachments: [],
    model: "hermes-agent",
  },
  response: { ok: true, data: { session_id: "sess_123", run_id: "run_987", status: "started" } },
};

/** Bodies of what is served. */
export const STOP = { run_id: "run_987" };
export const RETRY = { session_id: "sess_123" };
export const UNDO = { session_id: "sess_123" };
export const TITLE = { title: "Hermes Web Console planning" };
export const APPROVE = { request_id: "human_123", scope: "once" };
export const DENY = { request_id: "human_123" };
export const CLARIFY = {
  request_id: "human_124",
  response: "A web app you can open in a browser",
};

export const ROLLBACK = { checkpoint_id: "cp_123", path: null };

/** Bodies of what is not. */
export const UNSERVED_POSTS = {
  "/memory": {
    target: "memory",
    action: "add",
    content: "User prefers concise terminal-renderable responses.",
  },
  "/gateway/pairing/approve": { platform: "telegram", code: "AB12CD34" },
  "/gateway/pairing/revoke": { platform: "telegram", user_id: "123456789" },
  "/browser/connect": { mode: "live_chrome" },
};

export const EVENT_ENVELOPE = {
  id: "evt_123",
  type: "tool.started",
  session_id: "sess_123",
  run_id: "run_987",
  ts: "2026-03-30T02:10:02.123Z",
  payload: {},
};

export const EVENTS = [
  {
    type: "run.started",
    payload: { message_id: "msg_1", title: "Inspect API server routes" },
  },
  {
    type: "message.assistant.delta",
    payload: { message_id: "msg_2", delta: "The API server currently exposes" },
  },
  {
    type: "tool.started",
    payload: {
      tool_call_id: "tool_1",
      tool_name: "search_files",
      arguments: { pattern: "api_server" },
    },
  },
  {
    type: "tool.completed",
    payload: { tool_call_id: "tool_1", duration_ms: 944, summary: "12 matches" },
  },
  {
    type: "approval.requested",
    payload: {
      request_id: "human_1",
      title: "Approve terminal command",
      prompt: "Allow Hermes to run git status?",
      choices: ["approve_once", "approve_session", "approve_always", "deny"],
    },
  },
  {
    type: "clarify.requested",
    payload: {
      request_id: "human_2",
      title: "Need clarification",
      prompt: "What kind of GUI do you want?",
      choices: [
        "A local desktop app",
        "A web app you can open in a browser",
        "A terminal UI (TUI)",
        "Something minimal: just a chat window",
      ],
    },
  },
  {
    type: "todo.updated",
    payload: {
      items: [{ id: "inspect", content: "Inspect Hermes repo", status: "completed" }],
    },
  },
  {
    type: "subagent.completed",
    payload: {
      subagent_id: "sub_1",
      title: "Inspect gateway features",
      summary: "Found pairing, status, and gateway config surfaces.",
    },
  },
];

export const CRON_JOB = {
  job_id: "cron_123",
  name: "Morning summary",
  schedule: "0 9 * * *",
  deliver: "telegram",
  paused: false,
  next_run_at: "2026-03-31T09:00:00Z",
  last_run_at: "2026-03-30T09:00:00Z",
};
export const CRON_CREATE = {
  name: "Morning summary",
  prompt: "Summarize the latest issues.",
  schedule: "0 9 * * *",
  deliver: "telegram",
  skills: ["github-issues"],
};
