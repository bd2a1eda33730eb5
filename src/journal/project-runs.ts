// What each event does to the list of runs: where they stand, what they used, said and changed.
import type { PayloadOf } from "../protocol/events.ts";
import { doing } from "./activity-words.ts";
import { addMessage, editIndexed } from "./message-index.ts";
import { projectActivity, SET_DOING } from "./project-activity.ts";
import type { Projections } from "./projections.ts";
import { projectUsage } from "./project-usage.ts";

export const projectRuns: Projections = {
  ...projectActivity,
  "message.user": (db, log, p: PayloadOf<"message.user">, { seq, at }) => {
    db.run(
      `UPDATE logs SET prompt = ?, message_id = ?, created_at = ?
       WHERE log_key = ? AND created_at = 0`,
      p.text.slice(0, 500),
      p.message_id,
      at,
      log.log_key,
    );
    const { length } = p.attachments;
    if (length > 0) {
      const sql = "UPDATE logs SET attachments = attachments + ? WHERE log_key = ?";
      db.run(sql, length, log.log_key);
    }
    addMessage(db, { log, seq, at, role: "user", messageId: p.message_id, text: p.text });
  },
  "message.edited": (db, log, p: PayloadOf<"message.edited">) => {
    editIndexed(db, { log, messageId: p.message_id, text: p.text ?? "" });
    if (p.text === null) return;
    const sql = "UPDATE logs SET prompt = ? WHERE log_key = ? AND message_id = ?";
    db.run(sql, p.text.slice(0, 500), log.log_key, p.message_id);
  },
  "message.completed": (db, log, p: PayloadOf<"message.completed">, { seq, at }) => {
    if (p.text.trim() === "") return;
    addMessage(db, { log, seq, at, role: "assistant", messageId: p.message_id, text: p.text });
  },
  "run.queued": (db, log, p: PayloadOf<"run.queued">) => {
    db.run(
      `UPDATE logs SET status = 'queued', model = ?, workspace = ?, profile = ?, parent_run_id = ?,
       depth = ? WHERE log_key = ?`,
      p.model,
      p.workspace,
      p.profile,
      p.parent_run_id,
      p.depth,
      log.log_key,
    );
  },
  "run.started": (db, log) => {
    db.run("UPDATE logs SET status = 'running' WHERE log_key = ?", log.log_key);
  },
  status: (db, log, p: PayloadOf<"status">) => {
    db.run("UPDATE logs SET status = ? WHERE log_key = ?", p.status, log.log_key);
  },
  "tool.intent": (db, log, p: PayloadOf<"tool.intent">) => {
    if (p.turn_id !== "direct") return;
    db.run("UPDATE logs SET direct = ? WHERE log_key = ?", p.name, log.log_key);
  },
  "tool.started": (db, log, p: PayloadOf<"tool.started">, { at }) => {
    const sql = `UPDATE logs SET tool_calls = tool_calls + 1, ${SET_DOING} WHERE log_key = ?`;
    db.run(sql, doing(p.name, p.arguments), at, log.log_key);
  },
  "usage.updated": projectUsage,
  "files.changed": (db, log, p: PayloadOf<"files.changed">, { seq, sessionSeq }) => {
    db.run(
      `INSERT OR REPLACE INTO changes (log_key, seq, session_key, session_seq, body)
       VALUES (?, ?, ?, ?, ?)`,
      log.log_key,
      seq,
      log.session_key,
      sessionSeq,
      JSON.stringify(p),
    );
  },
  done: (db, log, p: PayloadOf<"done">, { at }) => {
    db.run(
      `UPDATE logs SET status = ?, ended_at = ?, runner_id = NULL, lease_until = NULL,
       activity = NULL, activity_at = NULL WHERE log_key = ?`,
      p.status,
      at,
      log.log_key,
    );
    db.run(
      "UPDATE requests SET answer = '' WHERE log_key = ? AND answer IS NULL", // no answer any more
      log.log_key,
    );
  },
};
