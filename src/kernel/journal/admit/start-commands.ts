// Creates sessions and runs: one transaction holds the command, its records and its first events, so every process sees
// a run that was acknowledged.
import type { CreateSession, Outcome, StartRun } from "../../events/commands.ts";
import type { PayloadOf } from "../../events/events.ts";
import { once, outcome, type Keyed } from "./idempotency.ts";
import type { Defaults, StartKey } from "../journal.ts";
import { insertRun, modelOf } from "./new-run.ts";
import { findSession, insertSession, newId, type SessionRow } from "./new-session.ts";
import { requireProject } from "../projects/projects.ts";
import { isQueueFull, publishQueue, QUEUE_FULL } from "./queue.ts";
import type { Transact, Tx } from "../transaction.ts";

export function startRun(transact: Transact) {
  return (command: StartRun, defaults: Defaults, same?: StartKey): Promise<Outcome> =>
    transact(command.session_id ?? null, (tx) =>
      once(tx, keyOf(command, same), async () => {
        const { session_id } = command;
        const known = session_id === undefined ? undefined : await findSession(tx, session_id);
        if (known && (await isQueueFull(tx, known.session_key))) {
          return outcome("conflict", { session_id: known.session_id, message: QUEUE_FULL });
        }
        const session = known
          ? await applySwitches(tx, known, command)
          : await createFor(tx, command, defaults);
        const runId = newId("run");
        const messageId = command.message_id ?? newId("msg");
        const run = { runId, session, messageId, command, mode: "start", parent: null } as const;
        const event_id = await insertRun(tx, run);
        if (command.aside) await leaveOut(tx, session, runId);
        await publishQueue(tx, session);
        const about = { run_id: runId, session_id: session.session_id, event_id };
        return outcome("accepted", { ...about, message: "The run is queued." });
      }),
    );
}

export function keyOf(command: StartRun, same: StartKey | undefined): Keyed {
  if (same) return { scope: `window:${same.scope}`, key: same.key, command: same.body };
  return { scope: `start:${command.session_id ?? ""}`, key: command.message_id, command };
}

/** Left out of the conversation from the start, so that models of later runs do not read it. */
export async function leaveOut(tx: Tx, { session_id }: SessionRow, runId: string): Promise<void> {
  const payload: PayloadOf<"session.rewound"> = { run_ids: [runId], reason: "aside" };
  await tx.append(session_id, [{ type: "session.rewound", payload }]);
}

export function createSession(transact: Transact) {
  return (command: CreateSession, defaults: Defaults): Promise<Outcome> =>
    transact(command.session_id ?? null, async (tx) => {
      const known = command.session_id && (await findSession(tx, command.session_id));
      if (known) {
        const about = { session_id: known.session_id, message: "The session exists already." };
        return outcome("duplicate", about);
      }
      const session = await createFrom(tx, { ...command, title: command.title ?? "" }, defaults);
      const about = { session_id: session.session_id, event_id: `${session.session_id}:1` };
      return outcome("accepted", { ...about, message: "The session is open." });
    });
}

/** A new session for a first message. */
export async function createFor(
  tx: Tx,
  command: StartRun,
  defaults: Defaults,
): Promise<SessionRow> {
  const title = command.message.trim().split("\n")[0]?.slice(0, 80) ?? "";
  const { session_id, workspace, profile, source, project_id } = command;
  const wanted = { session_id, workspace, profile, source, project_id, title };
  return createFrom(tx, { ...wanted, model: modelOf(command) }, defaults);
}

type Wanted = { [Key in keyof CreateSession]?: CreateSession[Key] | undefined } & { title: string };

/** The command's values, then its project's, then the defaults. */
async function createFrom(tx: Tx, wanted: Wanted, defaults: Defaults): Promise<SessionRow> {
  const { project_id } = wanted;
  const project = project_id === undefined ? undefined : await requireProject(tx, project_id);
  return insertSession(tx, {
    session_id: wanted.session_id,
    title: wanted.title,
    source: wanted.source ?? "api",
    workspace: wanted.workspace ?? project?.workspace ?? defaults.workspace,
    model: wanted.model ?? project?.model ?? defaults.model,
    profile: wanted.profile ?? project?.profile ?? defaults.profile ?? "default",
    ...(project && { project_id: project.project_id }),
  });
}

type Switches = Pick<StartRun, "provider" | "model" | "profile" | "project_id">;

/** Another model, profile or project holds from this run on, and is an event. */
export async function applySwitches(
  tx: Tx,
  session: SessionRow,
  command: Switches,
): Promise<SessionRow> {
  const model = modelOf(command);
  const { profile, project_id } = command;
  if (project_id !== undefined) await requireProject(tx, project_id);
  const payload: PayloadOf<"session.updated"> = {
    ...(model !== undefined && model !== session.model && { model }),
    ...(profile !== undefined && profile !== session.profile && { profile }),
    ...(project_id !== undefined && project_id !== session.project_id && { project_id }),
  };
  if (Object.keys(payload).length === 0) return session;
  await tx.append(session.session_id, [{ type: "session.updated", payload }]);
  return (await findSession(tx, session.session_id)) ?? session;
}
