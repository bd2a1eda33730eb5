// Sessions with work: files, commands, plans, subagents, goals.
import { call } from "../http.ts";
import { until } from "../until.ts";
import type { Scenario, Stage } from "./stage.ts";

const exec = (command: string, more: object = {}) => ["exec", { command, ...more }] as const;
const plan = (action: string, more: object = {}) => ["plan", { action, ...more }] as const;
const oneRun = (text: string) => async (stage: Stage) => {
  const { run_id, session_id } = await stage.say(text);
  await stage.ended(run_id);
  return session_id;
};

/** A session in which these commands run without approval. */
async function sessionThatMay(stage: Stage, ...argv: string[]): Promise<string> {
  const { session_id } = await stage.post("/api/sessions", { title: "Allowed beforehand" });
  const permissions = argv.map((word) => ({ effect: "allow", tool: "exec", argv: [word] }));
  await stage.post(`/api/sessions/${session_id}/settings`, { permissions });
  return session_id ?? "";
}

const parallelTools: Scenario = {
  files: { "a.txt": "alpha\n", "b.txt": "beta\n" },
  lines: {
    "Read both and count.": [
      {
        say: "Three things at once.",
        calls: [
          ["read", { path: "a.txt" }],
          ["read", { path: "b.txt" }],
          exec("wc -l a.txt b.txt"),
        ],
      },
      { say: "alpha and beta, one line each." },
    ],
  },
  async play(stage) {
    const session_id = await sessionThatMay(stage, "wc");
    const { run_id } = await stage.say("Read both and count.", { session_id });
    await stage.ended(run_id);
    return session_id;
  },
};

/** One plan that is tried another way, replanned and completed, and one that is handed over. */
const planned: Scenario = {
  lines: {
    "Sail to the island.": [
      { calls: [plan("create", { goal: "Reach the island", steps: ["Rig", "Sail", "Land"] })] },
      { calls: [plan("step_started", { index: 1 })] },
      { calls: [["list_files", { path: "." }]] },
      { calls: [plan("step_completed", { index: 1 }), plan("step_started", { index: 2 })] },
      { calls: [plan("step_fallback", { index: 2, reason: "Row instead" })] },
      { calls: [plan("step_completed", { index: 2, success: false })] },
      { calls: [plan("replan", { reason: "No wind", steps: ["Row to the pier", "Walk"] })] },
      { calls: [plan("step_started", { index: 2 })] },
      { calls: [plan("step_completed", { index: 2 }), plan("step_started", { index: 3 })] },
      { calls: [plan("step_completed", { index: 3 }), plan("complete")] },
      { say: "We are there." },
    ],
    "And back.": [
      { calls: [plan("create", { goal: "Come back", steps: ["Wait for wind"] })] },
      { calls: [plan("step_started", { index: 1 })] },
      { calls: [plan("escalate", { reason: "The wind is not mine to make." })] },
      { say: "You decide." },
    ],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Sail to the island.");
    await stage.ended(run_id);
    const second = await stage.say("And back.", { session_id });
    await stage.ended(second.run_id);
    return session_id;
  },
};

const delegate = (title: string, prompt: string) => ["delegate", { title, prompt }] as const;

async function pendingIn(stage: Stage, sessionId: string) {
  type Pending = { request_id: string; run_id: string; session_id: string };
  return until(async () => {
    const { body } = await call<{ pending: Pending[] }>(stage, "GET", "/api/pending");
    return body.data.pending.find(({ session_id }) => session_id === sessionId);
  }, "a request of a subagent");
}

/** Two subagents at once; one asks for approval, the other has its own subagent. */
const subagents: Scenario = {
  files: { "a.txt": "alpha\n" },
  lines: {
    "Let others work.": [
      {
        say: "Two of us go.",
        calls: [
          delegate("Scout", "Look around and let somebody count."),
          delegate("Runner", "Run the date."),
        ],
      },
      { say: "Both are back." },
    ],
    "Look around and let somebody count.": [
      { say: "I send a counter.", calls: [delegate("Counter", "Count the lines.")] },
      { say: "Somebody counted." },
    ],
    "Count the lines.": [{ calls: [["read", { path: "a.txt" }]] }, { say: "One line." }],
    "Run the date.": [{ say: "I ask.", calls: [exec("echo today")] }, { say: "It is today." }],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Let others work.");
    const { request_id, run_id: child } = await pendingIn(stage, session_id);
    await stage.post(`/api/runs/${child}/approvals/${request_id}`, { choice: "once" });
    await stage.ended(run_id);
    return session_id;
  },
};

/** The parent is cancelled while its subagent waits for an answer. */
const cancelledSubagent: Scenario = {
  lines: {
    "Send somebody.": [{ calls: [delegate("Asker", "Ask for something.")] }],
    "Ask for something.": [{ calls: [exec("echo something")] }],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Send somebody.");
    const { run_id: child } = await pendingIn(stage, session_id);
    await stage.post(`/api/runs/${run_id}/cancel`);
    await stage.ended(run_id);
    await stage.ended(child);
    return session_id;
  },
};

/** Files are written, edited, appended to, read and searched; an edit fails; everything is rolled back. */
const files: Scenario = {
  files: { "notes.md": "# Notes\n\nold words\n" },
  lines: {
    "Work on the notes.": [
      { calls: [["write", { path: "new.md", content: "# New\n" }]] },
      { calls: [["edit", { path: "notes.md", old_text: "old", new_text: "new" }]] },
      { calls: [["append", { path: "notes.md", content: "one line more\n" }]] },
      { calls: [["edit", { path: "notes.md", old_text: "missing", new_text: "x" }]] },
      { calls: [["read", { path: "notes.md" }]] },
      { calls: [["search_files", { pattern: "line" }]] },
      { say: "The notes are in order." },
    ],
  },
  async play(stage) {
    const { run_id, session_id } = await stage.say("Work on the notes.");
    await stage.ended(run_id);
    const back = await stage.post(`/api/sessions/${session_id}/rollback`, { run_id });
    await stage.ended(back["run_id"] ?? "");
    return session_id;
  },
};

/** One background command ends by itself, one with its run. */
const background: Scenario = {
  lines: {
    "Keep watch.": [
      {
        calls: [exec("echo started", { background: true }), exec("sleep 62", { background: true })],
      },
      { calls: [["process", { action: "list" }]] },
      { say: "The watch is set." },
    ],
  },
  async play(stage) {
    const session_id = await sessionThatMay(stage, "echo", "sleep");
    const { run_id } = await stage.say("Keep watch.", { session_id });
    await stage.ended(run_id);
    return session_id;
  },
};

/** An address that may not be fetched, and a tool that does not exist. */
const failingTools: Scenario = {
  lines: {
    "Fetch the weather.": [
      {
        calls: [
          ["web_fetch", { url: "http://127.0.0.1:9/weather" }],
          ["barometer", { unit: "hPa" }],
        ],
      },
      { say: "I could not fetch it." },
    ],
  },
  async play(stage) {
    const { session_id } = await stage.post("/api/sessions", { title: "Weather" });
    await stage.post(`/api/sessions/${session_id}/settings`, { yolo: true });
    const { run_id } = await stage.say("Fetch the weather.", { session_id });
    await stage.ended(run_id);
    return session_id ?? "";
  },
};

const todo: Scenario = {
  lines: {
    "What is to do?": [
      { calls: [["todo", { items: [item("1", "in_progress"), item("2", "pending")] }]] },
      { calls: [["todo", { items: [item("1", "completed"), item("2", "cancelled")] }]] },
      { say: "Nothing any more." },
    ],
  },
  play: oneRun("What is to do?"),
};

function item(id: string, status: string) {
  return { id, content: `Task ${id}`, status };
}

/** A goal: not met after the first round, met after the second; edited and paused in between. */
const goal: Scenario = {
  aside: (_, count) =>
    JSON.stringify(
      count === 1
        ? { decision: "continue", reason: "Only one side is done.", next: "Now the other side." }
        : { decision: "met", reason: "Both sides are done." },
    ),
  lines: {
    "Scrub the deck.": [{ say: "Port is clean." }],
    "Now the other side.": [{ say: "Starboard is clean." }],
  },
  async play(stage) {
    const { session_id } = await stage.post("/api/sessions", { title: "Deck" });
    const change = (action: string, text?: string) =>
      stage.post(`/api/sessions/${session_id}/goal`, { action, ...(text && { text }) });
    await change("set", "A clean deck");
    await change("edit", "A clean deck on both sides");
    await change("pause");
    await change("resume");
    const { run_id } = await stage.say("Scrub the deck.", { session_id });
    await stage.ended(run_id);
    return session_id ?? "";
  },
};

export const WORK = {
  "parallel-tools": parallelTools,
  plan: planned,
  subagents,
  "cancelled-subagent": cancelledSubagent,
  files,
  background,
  "failing-tools": failingTools,
  todo,
  goal,
};
