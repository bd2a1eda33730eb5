// Sessions and runs come into being here: one transaction holds the command, its records and its
// first events, so a run that was acknowledged exists for everyone.
import { randomUUIDv7 } from "node:crypto";
import type { CreateSession, Outcome, StartRun } from "../protocol/commands.ts";
import { ApiError } from "../protocol/errors.ts";
import type { Draft } from "../protocol/events.ts";
import { once, outcome } from "./idempotency.ts";
import type { Child, Defaults } from "./journal.ts";
import type { Transact, Tx } from "./transaction.ts";

type SessionRow = {
  session_key: number;
  session_id: string;
  model: string;
  workspace: string;
  profile: string;
};
export type NewRun = {
  runId: string;
  session: SessionRow;
  messageId: string;
  mode: "start" | "queue";
  command: StartRun;
  parent: { run_id: string; root_run_id: string; depth: number } | null;
};

export function startRun(transact: Transact) {
  return (command: StartRun, defaults: Defaults): Promise<Outcome> =>
    transact((tx) => {
      const scope = `start:${command.session_id ?? ""}`;
      return once(tx, { scope, key: command.message_id, command }, async () => {
        const session = await findOrCreate(tx, command, defaults);
        await switchModel(tx, session, command);
        const runId = newId("run");
        const messageId = command.message_id ?? newId("msg");
        const event_id = await insertRun(tx, {
          runId,
          session,
          messageId,
          command,
          mode: "start",
          parent: null,
        });
        await publishQueue(tx, session);
        const about = { run_id: runId, session_id: session.session_id, event_id };
        return outcome("accepted", { ...about, message: "The run is queued." });
      });
    });
}

export function createSession(transact: Transact) {
  return (command: CreateSession, defaults: Defaults): Promise<Outcome> =>
    transact(async (tx) => {
      const known = command.session_id && (await findSession(tx, command.session_id));
      if (known) {
        const about = { session_id: known.session_id, message: "The session exists already." };
        return outcome("duplicate", about);
      }
      const session = await insertSession(tx, command, defaults);
      const about = { session_id: session.session_id, event_id: `${session.session_id}:1` };
      return outcome("accepted", { ...about, message: "The session is open." });
    });
}

export function startChild(transact: Transact) {
  return ({ runId, parent, message }: Child): Promise<void> =>
    transact(async (tx) => {
      if (await tx.log(runId)) return; // a recovered parent asks again for the same child
      const log = await tx.log(parent.runId);
      if (!log || log.fence !== parent.fence || log.ended_at !== null) return; // stale: starts nothing
      const session = await findSession(tx, log.session_id);
      const row = await tx.get(
        `WITH RECURSIVE up (id, parent) AS (
           SELECT log_id, parent_run_id FROM logs WHERE log_id = ?1 UNION ALL
           SELECT l.log_id, l.parent_run_id FROM up JOIN logs l ON l.log_id = up.parent)
         SELECT depth, model, workspace, (SELECT id FROM up WHERE parent IS NULL) AS root
         FROM logs WHERE log_id = ?1`,
        parent.runId,
      );
      if (!session || !row) return;
      const { depth, model, workspace, root } = row as {
        depth: number;
        model: string;
        workspace: string;
        root: string;
      };
      await insertRun(tx, {
        runId,
        session: { ...session, model, workspace },
        messageId: newId("msg"),
        mode: "start",
        command: { message, source: "delegate" },
        parent: { run_id: parent.runId, root_run_id: root, depth: depth + 1 },
      });
    });
}

/** Appends the run's first events. The runner learns of it by them and by nothing else. */
export async function insertRun(tx: Tx, run: NewRun): Promise<string> {
  const { session, command, parent } = run;
  await tx.run(
    "INSERT INTO logs (log_id, kind, session_key) VALUES (?, 'run', ?)",
    run.runId,
    session.session_key,
  );
  const message: Draft = {
    type: "message.user",
    payload: {
      message_id: run.messageId,
      text: command.message,
      mode: run.mode,
      attachments: command.attachments ?? [],
    },
  };
  const queued: Draft = {
    type: "run.queued",
    payload: {
      message_id: run.messageId,
      model: modelOf(command) ?? session.model,
      workspace: command.workspace ?? session.workspace,
      profile: command.profile ?? session.profile,
      source: command.source ?? "api",
      toolsets: command.toolsets ?? [],
      instructions: command.instructions ?? null,
      metadata: command.metadata ?? {},
      parent_run_id: parent?.run_id ?? null,
      root_run_id: parent?.root_run_id ?? run.runId,
      depth: parent?.depth ?? 0,
    },
  };
  return tx.append(run.runId, [message, queued]);
}

/** Tells the session's windows what waits behind the active run. */
export async function publishQueue(tx: Tx, session: SessionRow): Promise<void> {
  const open = await tx.all(
    `SELECT log_id, prompt FROM logs WHERE session_key = ? AND kind = 'run' AND ended_at IS NULL
     AND parent_run_id IS NULL ORDER BY log_key`,
    session.session_key,
  );
  if (open.length < 2) return;
  const items = open.slice(1).map((row) => ({
    run_id: row["log_id"] as string,
    message_id: row["log_id"] as string,
    text: row["prompt"] as string,
  }));
  await tx.append(session.session_id, [{ type: "queue.updated", payload: { items } }]);
}

export async function findSession(tx: Tx, sessionId: string): Promise<SessionRow | undefined> {
  const sql = `SELECT session_key, session_id, model, workspace, profile FROM sessions
    WHERE session_id = ?`;
  return (await tx.get(sql, sessionId)) as SessionRow | undefined;
}

export function newId(kind: "run" | "msg" | "sess"): string {
  return `${kind}_${randomUUIDv7().replaceAll("-", "")}`;
}

async function findOrCreate(tx: Tx, command: StartRun, defaults: Defaults): Promise<SessionRow> {
  const known = command.session_id && (await findSession(tx, command.session_id));
  if (known) return known;
  const title = command.message.trim().split("\n")[0]?.slice(0, 80) ?? "";
  const { session_id, workspace, profile, source } = command;
  const wanted = { session_id, workspace, profile, source, model: modelOf(command), title };
  return insertSession(tx, wanted, defaults);
}

type WantedSession = { [Key in keyof CreateSession]?: CreateSession[Key] | undefined };

async function insertSession(tx: Tx, wanted: WantedSession, defaults: Defaults) {
  const sessionId = wanted.session_id ?? newId("sess");
  if (await tx.log(sessionId)) {
    throw new ApiError("invalid_request", `session_id: ${sessionId} is the id of a run`);
  }
  await tx.run(
    "INSERT INTO sessions (session_id, created_at, updated_at) VALUES (?, ?, ?)",
    sessionId,
    tx.now,
    tx.now,
  );
  await tx.run(
    `INSERT INTO logs (log_id, kind, session_key)
     SELECT session_id, 'session', session_key FROM sessions WHERE session_id = ?`,
    sessionId,
  );
  const payload = {
    title: wanted.title ?? "",
    source: wanted.source ?? "api",
    workspace: wanted.workspace ?? defaults.workspace,
    model: wanted.model ?? defaults.model,
    profile: wanted.profile ?? "default",
    parent_session_id: null,
  };
  await tx.append(sessionId, [{ type: "session.created", payload }]);
  const session = await findSession(tx, sessionId);
  if (!session) throw new Error(`session ${sessionId} vanished inside its own transaction`);
  return session;
}

async function switchModel(tx: Tx, session: SessionRow, command: StartRun): Promise<void> {
  const model = modelOf(command);
  if (model === undefined || model === session.model) return;
  await tx.append(session.session_id, [{ type: "session.updated", payload: { model } }]);
}

function modelOf({ provider, model }: StartRun): string | undefined {
  if (model === undefined) return undefined;
  return provider === undefined ? model : `${provider}/${model}`;
}
