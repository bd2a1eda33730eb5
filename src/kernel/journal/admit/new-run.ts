// Creates a run, and reads back how it began. The runner learns of a run only from its first events.
import type { Budget, ProjectContext } from "../../events/catalogue/lifecycle.ts";
import type { StartRun } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import type { Draft, PayloadOf, RunEvent } from "../../events/events.ts";
import { IMPORTED } from "../../events/share-policy.ts";
import { verify } from "../hash-chain.ts";
import type { SessionRow } from "./new-session.ts";
import { contextOf, findProject } from "../projects/projects.ts";
import type { Tx } from "../transaction.ts";
import { rowsOf, text } from "../rows.ts";

export type NewRun = {
  readonly runId: string;
  readonly session: SessionRow;
  readonly messageId: string;
  readonly mode: "start" | "queue";
  readonly command: StartRun;
  readonly parent: { run_id: string; root_run_id: string; depth: number } | null;
  /** Omitted: the session's current project, with its budget below the command's. */
  readonly project?: ProjectContext | null;
  readonly budget?: Budget | null;
  readonly more?: readonly Draft[]; // first events after the usual ones
};

export async function insertRun(tx: Tx, run: NewRun): Promise<string> {
  const { session, command, parent, more = [] } = run;
  if (session.source === IMPORTED) throw onlyShown();
  const history = command.history?.length ? { history: command.history } : {};
  if (parent === null && session.deleted === 1) await bringBack(tx, session);
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
      ...(await grounds(tx, run)),
      ...history,
    },
  };
  return tx.append(run.runId, [message, queued, ...more]);
}

/** An imported session is only shown, so a run in it is refused. */
export function onlyShown(): ApiError {
  const message = "This session is a recording from elsewhere: nothing can be run in it.";
  return new ApiError("forbidden", message, { reason: "imported" });
}

/** A run in a deleted session restores the session, so that every run can be found in the lists. */
export async function bringBack(tx: Tx, { session_id }: SessionRow): Promise<void> {
  await tx.append(session_id, [{ type: "session.updated", payload: { deleted: false } }]);
}

/** The project and the budget of a run. A null in a budget means the profile's limit. */
async function grounds(tx: Tx, { session, command, ...run }: NewRun) {
  const record =
    session.project_id === null ? undefined : await findProject(tx, session.project_id);
  const project = run.project === undefined ? contextOf(record) : run.project;
  if (run.budget !== undefined) return { project, budget: run.budget };
  const given = { ...record?.budget, ...command.budget };
  if (Object.values(given).every((limit) => limit === undefined)) return { project, budget: null };
  const { tokens = null, cost_usd = null, wall_s = null, tool_calls = null } = given;
  return { project, budget: { tokens, cost_usd, wall_s, tool_calls } };
}

export function modelOf({ provider, model }: Pick<StartRun, "provider" | "model">) {
  if (model === undefined) return undefined;
  return provider === undefined ? model : `${provider}/${model}`;
}

export type Origin = {
  readonly message: PayloadOf<"message.user">; // as it was last edited
  readonly queued: PayloadOf<"run.queued">;
};

/** The message and settings of a run. A message can be edited only before the run has started. */
export async function originOf(tx: Tx, logKey: number): Promise<Origin> {
  let message: Origin["message"] | undefined;
  let queued: Origin["queued"] | undefined;
  for (let after = 0; ; after += PAGE) {
    const events = await eventsAfter(tx, logKey, after);
    for (const event of events) {
      if (event.type === "message.user") message ??= event.payload;
      else if (event.type === "run.queued") queued ??= event.payload;
      else if (
        event.type === "message.edited" &&
        event.payload.message_id === message?.message_id
      ) {
        message = { ...message, text: event.payload.text ?? message.text };
      }
    }
    const over = events.length < PAGE || events.some(({ type }) => type === "run.started");
    if (over && message && queued) return { message, queued };
    if (over) throw damaged();
  }
}

const PAGE = 50;
const BODY = rowsOf("events", { body: text });

async function eventsAfter(tx: Tx, logKey: number, after: number): Promise<RunEvent[]> {
  const sql = "SELECT body FROM events WHERE log_key = ? AND seq > ? ORDER BY seq LIMIT ?";
  const bodies = (await BODY.all(tx, sql, logKey, after, PAGE)).map(({ body }) => body);
  if (bodies.some((body) => verify(body, undefined) === undefined)) throw damaged();
  return bodies.map((body) => JSON.parse(body) as RunEvent);
}

function damaged(): ApiError {
  const message =
    'The run\'s first events are damaged. Nothing was changed; run "quarterdeck doctor".';
  return new ApiError("run_quarantined", message);
}
