// A command that is typed as a message ("/compress", "/goal ship it") is executed where messages are admitted, so it
// works the same in every window, once per message id. A command that starts a run (a retry, a compaction, a queued
// message) becomes that run. Any other is answered by a run that has already ended when it is admitted: its only text
// says what was done, every window shows it like any answer, and no model reads it (C20).
import type { Outcome, StartRun } from "../../events/commands.ts";
import type { Draft } from "../../events/events.ts";
import { goalSays, goalRequest } from "../../text/goal-request.ts";
import { parseSlash } from "../../text/parse-slash.ts";
import { controlsIn } from "../../state/run/status.ts";
import { NO_USAGE } from "../../state/run/state.ts";
import { EVERYWHERE, isEverywhere, SLASH, type EverywhereName } from "../../text/slash-commands.ts";
import { branch } from "./branch-commands.ts";
import { compress } from "./compress-commands.ts";
import { once, outcome } from "./idempotency.ts";
import type { Defaults, StartKey } from "../journal.ts";
import { insertRun } from "./new-run.ts";
import { findSession, newId, type SessionRow } from "./new-session.ts";
import { openRuns } from "./queue.ts";
import { retry, undo } from "./rewind-commands.ts";
import { queueMessage, stopActive } from "./run-commands.ts";
import { updateGoal, updateTitle } from "./session-commands.ts";
import { updateSession } from "./settings-commands.ts";
import { createFor, keyOf, leaveOut, startRun } from "./start-commands.ts";
import type { Transact, Tx } from "../transaction.ts";

type Typed =
  | { readonly name: EverywhereName; readonly argument: string }
  | { readonly problem: string };

/** The command in a message; undefined for an ordinary message, including one with an unknown `/word`. */
export function typedIn(text: string): Typed | undefined {
  const parsed = parseSlash(text);
  if (parsed.kind === "message" || parsed.kind === "unknown") return undefined;
  if (!isEverywhere(parsed.name)) return undefined;
  if (parsed.kind === "wrong") return { problem: parsed.problem };
  return { name: parsed.name, argument: parsed.argument };
}

/** In a channel other people may write; they must not change a session's model or profile. */
const IN_CHANNELS: Record<EverywhereName, boolean> = {
  stop: true,
  steer: true,
  queue: true,
  undo: true,
  retry: true,
  compress: true,
  goal: true,
  model: false,
  profile: false,
  title: true,
  branch: true,
  help: true,
};

type Admission = { readonly inChannel?: boolean };

/** Starts a run for a message, or executes its command. Only a message that names its session can be a command. */
export function sayOrDo(transact: Transact, { inChannel = false }: Admission = {}) {
  return (command: StartRun, defaults: Defaults, same?: StartKey): Promise<Outcome> => {
    const { session_id: sessionId, aside } = command;
    const typed = sessionId === undefined || aside ? undefined : typedIn(command.message);
    if (!typed || sessionId === undefined) return startRun(transact)(command, defaults, same);
    const keyed = keyOf(command, same);
    return transact(sessionId, (tx) =>
      once(tx, keyed, async () => {
        const known = await findSession(tx, sessionId);
        const session = known ?? (await createFor(tx, titled(command, typed), defaults));
        const { scope } = keyed;
        const at = { tx, within: within(tx), session, sessionId, command, defaults, scope };
        const done = await carryOut(at, typed, inChannel);
        return typeof done === "string" ? answer(at, done) : done;
      }),
    );
  };
}

/** A session that begins with a goal or a message gets its title from that. */
function titled(command: StartRun, typed: Typed): StartRun {
  const message = "name" in typed ? said(typed) : undefined;
  return message === undefined ? command : { ...command, message };
}

function said({ name, argument }: Extract<Typed, { name: unknown }>): string | undefined {
  if (name === "goal") return goalRequest({ args: argument }).text;
  return name === "queue" || name === "steer" ? argument : undefined;
}

type At = {
  readonly tx: Tx;
  readonly within: Transact;
  readonly session: SessionRow;
  readonly sessionId: string;
  readonly command: StartRun;
  readonly defaults: Defaults;
  readonly scope: string; // the scope of the message id
};
/** The run that the command became, or the text of its answer. */
type Done = Outcome | string;

async function carryOut(at: At, typed: Typed, inChannel: boolean): Promise<Done> {
  if ("problem" in typed) return typed.problem;
  const { name, argument } = typed;
  if (inChannel && !IN_CHANNELS[name]) return `/${name} is not available here.`;
  return ACTIONS[name](at, argument);
}

const ACTIONS: Record<EverywhereName, (at: At, argument: string) => Promise<Done>> = {
  stop: async ({ within: by, sessionId }) => {
    const stopped = await stopActive(by)(sessionId, { reason: "asked to stop by a message" });
    return stopped?.run_id ? "Stopping." : "Nothing is running.";
  },
  steer: async (at, text) => {
    const [active] = await openRuns(at.tx, at.session.session_key);
    if (!active) return say(at, text);
    const { attachments } = at.command;
    const message = { message: text, mode: "steer", ...(attachments && { attachments }) } as const;
    const steered = await queueMessage(at.within)(active.log_id, message);
    return steered?.accepted ? steered.safe_message : say(at, text);
  },
  queue: (at, text) => say(at, text),
  undo: async ({ within: by, sessionId }) => {
    const undone = await undo(by)(sessionId, {});
    return undone?.accepted ? "The newest exchange is left out." : refused(undone);
  },
  retry: async ({ within: by, sessionId }) => runOr(await retry(by)(sessionId, {})),
  compress: async ({ within: by, sessionId }, focus) => {
    if (focus.length > 2_000) return "Say what to keep in at most 2,000 characters.";
    return runOr(await compress(by)(sessionId, focus === "" ? {} : { focus }));
  },
  goal,
  model: (at, model) => change(at, { model }, `The next run uses ${model}.`),
  profile: (at, profile) => change(at, { profile }, `The next run uses the profile ${profile}.`),
  title: async ({ within: by, sessionId }, title) => {
    if (title.length > 500) return "A title has at most 500 characters.";
    await updateTitle(by)(sessionId, { title });
    return `Renamed: ${title}`;
  },
  branch: async ({ within: by, sessionId }) => {
    const branched = await branch(by)(sessionId, {});
    if (!branched?.accepted) return refused(branched);
    return `The branch is open as session ${branched.session_id}.`;
  },
  help: async () =>
    EVERYWHERE.map((name) => `/${name} ${SLASH[name].hint}`.trim() + `: ${SLASH[name].does}.`).join(
      "\n",
    ),
};

function refused(result: Outcome | undefined): string {
  return result?.safe_message ?? "The session is gone.";
}

/** The active run that this message became, so that sending the message again starts no second one. */
function runOr(result: Outcome | undefined): Done {
  if (!result?.accepted || result.run_id === null) return refused(result);
  return { ...result, status: "accepted" };
}

/** Sends the text as a message: now, or behind the active and waiting runs. */
async function say(at: At, message: string, source = at.command.source): Promise<Done> {
  const { command, sessionId: session_id, defaults, scope } = at;
  const { message_id = newId("msg") } = command;
  const said = { ...command, session_id, message, message_id, ...(source && { source }) };
  const own = { scope: `typed:${scope}`, key: message_id, body: message };
  return runOr(await startRun(at.within)(said, defaults, own));
}

/** A new goal starts a run if none is active; an active run is judged by it at its end. */
async function goal(at: At, argument: string): Promise<Done> {
  const request = goalRequest({ args: argument });
  if ((request.text?.length ?? 0) > 8_192) return "A goal has at most 8,192 characters.";
  const result = await updateGoal(at.within)(at.sessionId, request);
  if (!result?.accepted) return refused(result);
  const begins =
    request.action === "set" && result.status === "accepted" && request.text !== undefined;
  const open = await openRuns(at.tx, at.session.session_key);
  if (begins && open.length === 0) return say(at, request.text ?? "", "goal");
  const { text } = (result.payload ?? { text: null }) as { text: string | null };
  return goalSays(request.action, text);
}

async function change(at: At, wanted: { model?: string; profile?: string }, done: string) {
  if (Object.values(wanted).some((name) => name.length > 200)) return "That name is too long.";
  const changed = await updateSession(at.within)(at.sessionId, wanted);
  return changed?.accepted ? done : refused(changed);
}

/** A run that has already ended: it started, said this, and ended. */
async function answer(at: At, text: string): Promise<Outcome> {
  const { tx, session, sessionId, command } = at;
  const runId = newId("run");
  const { model, workspace, profile } = session;
  const message = { message_id: "direct.m0", turn_id: "direct", text };
  const begun = { runner_id: "admission", model, workspace, profile, toolsets: [] };
  const ended = { status: "completed", result: text, error: null, usage: NO_USAGE } as const;
  const more: Draft[] = [
    {
      type: "run.started",
      payload: { ...begun, sandbox: "none", controls: controlsIn("running") },
    },
    {
      type: "token.delta",
      payload: { message_id: message.message_id, delta: text, content_type: "text" },
    },
    { type: "message.completed", payload: { ...message, tool_calls: [], finish_reason: "stop" } },
  ];
  const event_id = await insertRun(tx, {
    runId,
    session,
    messageId: command.message_id ?? newId("msg"),
    mode: "start",
    command: { message: command.message, source: command.source ?? "api" },
    parent: null,
    budget: null,
    more: [
      ...more,
      { type: "done", payload: { ...ended, last_seq: FIRST_EVENTS + more.length + 1 } },
    ],
  });
  await leaveOut(tx, session, runId);
  return outcome("accepted", { run_id: runId, session_id: sessionId, event_id, message: text });
}

const FIRST_EVENTS = 2; // the message, and its place in the queue

/** A command inside this transaction. */
function within(tx: Tx): Transact {
  return (_about, work) => work(tx);
}
