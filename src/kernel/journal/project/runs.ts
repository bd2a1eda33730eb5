// What each event does to the list of runs: status, usage, text and file changes.
import type { PayloadOf } from "../../events/events.ts";
import { workspacePlace } from "../../events/workspace-place.ts";
import { doing } from "./describe-activity.ts";
import { projectActivity, SET_DOING } from "./activity.ts";
import type { Projections } from "./projections.ts";
import { projectUsage } from "./usage.ts";
import type { Statement } from "../sql.ts";

const BEGUN = `UPDATE logs SET prompt = ?, message_id = ?, created_at = ?
  WHERE log_key = ? AND created_at = 0`;
const QUEUED = `UPDATE logs SET status = 'queued', model = ?, workspace = ?, profile = ?, parent_run_id = ?,
  depth = ?, volume = ? WHERE log_key = ?`;
const CHANGED = `INSERT INTO changes (log_key, seq, session_key, session_seq, body)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const ENDED = `UPDATE logs SET status = ?, ended_at = ?, runner_id = NULL, lease_until = NULL,
  activity = NULL, activity_at = NULL WHERE log_key = ?`;
const NO_ANSWER = "UPDATE requests SET answer = '' WHERE log_key = ? AND answer IS NULL"; // any more

const SAID = `INSERT INTO messages (log_key, seq, message_id, role, text, created_at)
  VALUES (?, ?, ?, ?, ?, ?)`;
const EDITED = `UPDATE messages SET text = ? WHERE message_key = (SELECT message_key FROM messages
  WHERE log_key = ? AND message_id = ? AND role = 'user' ORDER BY seq DESC LIMIT 1)`;

/** An answer is truncated to what lists show (search has all of it); a person's message is kept, to compare edits. */
const MAX_ANSWER = 400;
const MAX_WRITTEN = 32_768;

export const projectRuns: Projections = {
  ...projectActivity,
  "message.user": (log, p: PayloadOf<"message.user">, { seq, at }) => {
    const { length } = p.attachments;
    const files: Statement[] =
      length === 0
        ? []
        : [
            [
              "UPDATE logs SET attachments = attachments + ? WHERE log_key = ?",
              length,
              log.log_key,
            ],
          ];
    return [
      [BEGUN, p.text.slice(0, 500), p.message_id, at, log.log_key],
      ...files,
      [SAID, log.log_key, seq, p.message_id, "user", p.text.slice(0, MAX_WRITTEN), at],
    ];
  },
  "message.edited": (log, p: PayloadOf<"message.edited">) => {
    const edited: Statement = [
      EDITED,
      (p.text ?? "").slice(0, MAX_WRITTEN),
      log.log_key,
      p.message_id,
    ];
    if (p.text === null) return [edited];
    const sql = "UPDATE logs SET prompt = ? WHERE log_key = ? AND message_id = ?";
    return [edited, [sql, p.text.slice(0, 500), log.log_key, p.message_id]];
  },
  "message.completed": (log, p: PayloadOf<"message.completed">, { seq, at }) => {
    if (p.text.trim() === "") return [];
    return [
      [
        SAID,
        log.log_key,
        seq,
        p.message_id,
        "assistant",
        p.text.slice(0, MAX_ANSWER).toWellFormed(),
        at,
      ],
    ];
  },
  "run.queued": (log, p: PayloadOf<"run.queued">) => {
    const { volume } = workspacePlace(p.workspace);
    const about = [p.model, p.workspace, p.profile, p.parent_run_id, p.depth] as const;
    return [[QUEUED, ...about, volume, log.log_key]];
  },
  "run.started": (log) => [["UPDATE logs SET status = 'running' WHERE log_key = ?", log.log_key]],
  status: (log, p: PayloadOf<"status">) => [
    ["UPDATE logs SET status = ? WHERE log_key = ?", p.status, log.log_key],
  ],
  "tool.intent": (log, p: PayloadOf<"tool.intent">) =>
    p.turn_id === "direct"
      ? [["UPDATE logs SET direct = ? WHERE log_key = ?", p.name, log.log_key]]
      : [],
  "tool.started": (log, p: PayloadOf<"tool.started">, { at }) => {
    const sql = `UPDATE logs SET tool_calls = tool_calls + 1, ${SET_DOING} WHERE log_key = ?`;
    return [[sql, doing(p.name, p.arguments), at, log.log_key]];
  },
  "usage.updated": projectUsage,
  "files.changed": (log, p: PayloadOf<"files.changed">, { seq, sessionSeq }) => [
    [CHANGED, log.log_key, seq, log.session_key, sessionSeq, JSON.stringify(p)],
  ],
  done: (log, p: PayloadOf<"done">, { at }) => [
    [ENDED, p.status, at, log.log_key],
    [NO_ANSWER, log.log_key],
  ],
};
