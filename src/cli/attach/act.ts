// Turns text, keys and slash commands into commands of the API. The decisions are pure (`intentOf…`), so they can be
// tested without a terminal.
import type { Api } from "../../kernel/client/api.ts";
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { Outcome } from "../../kernel/events/commands.ts";
import { goalRequest } from "../../kernel/text/goal-request.ts";
import { parseSlash } from "../../kernel/text/parse-slash.ts";
import type { RequestState } from "../../kernel/state/run/items.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { own } from "../../kernel/events/own.ts";
import {
  EVERYWHERE,
  isEverywhere,
  SLASH as EVERYWHERE_HELP,
} from "../../kernel/text/slash-commands.ts";
import { typedApproval, typedChoice, type ApprovalChoice } from "../../kernel/text/typed-answer.ts";

export type Mode = "queue" | "steer";
export type Intent =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "answer"; readonly request: Pending; readonly response: string }
  | {
      readonly kind: "approve";
      readonly request: Pending;
      readonly choice: ApprovalChoice;
      readonly feedback: string;
    }
  | { readonly kind: "slash"; readonly name: string; readonly rest: string }
  | { readonly kind: "stop" }
  | { readonly kind: "none" };
export type Pending = { readonly runId: string; readonly request: RequestState };

const NONE: Intent = { kind: "none" };

/** What waits for a person in the session, the oldest first; a subagent's too. */
export function pendingOf({ runs }: SessionView): Pending[] {
  return Object.values(runs)
    .flatMap(({ runId, pending }) =>
      Object.values(pending).map((request): Pending => ({ runId, request })),
    )
    .toSorted((a, b) => a.request.at - b.request.at);
}

/** The root run that is going on. */
export function activeRun({ session, runs }: SessionView) {
  const open = Object.keys(session.open).map((runId) => runs[runId]);
  return open.find(
    (run) =>
      run !== undefined && run.depth === 0 && run.status !== "queued" && !isTerminal(run.status),
  );
}

/** Enter. What waits takes the words that answer it; everything else is said. */
export function intentOfText(view: SessionView, text: string): Intent {
  const words = text.trim();
  if (words === "") return NONE;
  const slash = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(words);
  if (slash) return { kind: "slash", name: slash[1] ?? "", rest: (slash[2] ?? "").trim() };
  const [first] = pendingOf(view);
  if (first?.request.kind === "approval") {
    return approvalIn(first, words) ?? { kind: "say", text: words };
  }
  const choice = first && typedChoice(words, first.request.choices);
  if (first && choice !== undefined) return { kind: "answer", request: first, response: choice };
  return first?.request.kind === "clarify"
    ? { kind: "answer", request: first, response: words }
    : { kind: "say", text: words };
}

function approvalIn(pending: Pending, words: string): Intent | undefined {
  const given = typedApproval(words, pending.request);
  return given && { kind: "approve", request: pending, ...given };
}

/** Alt and a key: y, s, a, n for an approval, a digit for a choice. */
export function intentOfKey(view: SessionView, key: string): Intent {
  const [first] = pendingOf(view);
  if (!first) return NONE;
  if (first.request.kind === "approval") return approvalIn(first, key) ?? NONE;
  const choice = typedChoice(key, first.request.choices);
  return choice === undefined ? NONE : { kind: "answer", request: first, response: choice };
}

export type Acting = {
  readonly api: Api;
  readonly sessionId: string;
  readonly view: () => SessionView;
  readonly mode: () => Mode;
  readonly newId: () => string;
  /** By their words: what was sent and not answered. Sent again it is the same command, to the same run. */
  readonly unanswered: Map<string, Sending>;
};
type Sending = {
  readonly id: string; // of the message, or of the command
  readonly target: { readonly runId: string; readonly mode: Mode } | null;
};

export type Result = {
  readonly emitted: string; // to the person; empty when the transcript will show it
  readonly taken: boolean; // false: what was typed is given back
};
const taken = (emitted = ""): Result => ({ emitted, taken: true });
const resultOf = ({ accepted, safe_message }: Pick<Outcome, "accepted" | "safe_message">): Result =>
  accepted ? taken() : { emitted: safe_message, taken: false };

export async function act(intent: Intent, acting: Acting): Promise<Result> {
  const { api } = acting;
  switch (intent.kind) {
    case "none":
      return taken();
    case "say":
      return resultOf(await once(intent.text, acting, (it) => deliver(intent.text, it, acting)));
    case "stop": {
      const run = activeRun(acting.view());
      return taken(run ? (await api.cancelRun(run.runId)).safe_message : "Nothing is running.");
    }
    case "approve": {
      const { runId, request } = intent.request;
      const said = { choice: intent.choice, ...(intent.feedback && { feedback: intent.feedback }) };
      const bound = request.planHash === null ? {} : { plan_hash: request.planHash };
      const ids = { runId, approvalId: request.id };
      return resultOf(await api.respondApproval(ids, { ...said, ...bound }));
    }
    case "answer": {
      const { runId, request } = intent.request;
      const ids = { runId, clarifyId: request.id };
      return resultOf(await api.respondClarify(ids, { response: intent.response }));
    }
    case "slash": {
      const command = own(SLASH, intent.name);
      if (!command) return asMessage(intent, acting);
      const { name, rest } = intent;
      return taken(
        await once(`/${name} ${rest}`, acting, ({ id }) => command.act(rest, acting, id)),
      );
    }
  }
}

/** What is not done here is done where messages are admitted, also while something runs (C20). */
async function asMessage({ name, rest }: { name: string; rest: string }, acting: Acting) {
  const message = `/${name} ${rest}`.trim();
  const parsed = parseSlash(message);
  if (parsed.kind === "message" || parsed.kind === "unknown" || !isEverywhere(parsed.name)) {
    return { emitted: `There is no /${name}. Try /help.`, taken: false };
  }
  if (parsed.kind === "wrong") return { emitted: parsed.problem, taken: false };
  const { api, sessionId: session_id } = acting;
  const start = { message, session_id, source: "attach" };
  return resultOf(
    await once(message, acting, ({ id }) => api.startRun({ ...start, message_id: id })),
  );
}

/** A command keeps its id until it is answered: after a lost answer it is a repeat, and no second command (C2). */
async function once<Answer>(
  command: string,
  acting: Acting,
  send: (sending: Sending) => Promise<Answer>,
): Promise<Answer> {
  const { unanswered } = acting;
  const sending = unanswered.get(command) ?? newSending(acting);
  unanswered.delete(command); // the same words once more, while these are on their way, are another command
  try {
    return await send(sending);
  } catch (error) {
    unanswered.set(command, sending);
    throw error;
  }
}

function newSending({ view, mode, newId }: Acting): Sending {
  const run = activeRun(view());
  return { id: newId(), target: run ? { runId: run.runId, mode: mode() } : null };
}

async function deliver(
  text: string,
  { id: message_id, target }: Sending,
  { api, sessionId }: Acting,
): Promise<Outcome> {
  const said = { message: text, message_id };
  if (target) {
    const outcome = await api.sendMessage(target.runId, { ...said, mode: target.mode });
    if (outcome.status !== "not_active") return outcome;
  }
  // Nothing runs, or what ran has just ended: then it is a message like any other.
  return api.startRun({ ...said, session_id: sessionId, source: "attach" });
}

type Slash = {
  readonly help: string;
  readonly act: (rest: string, acting: Acting, command_id: string) => Promise<string>;
};
const emitted = async (work: Promise<{ safe_message: string }>) => (await work).safe_message;

export const SLASH: Readonly<Record<string, Slash>> = {
  help: {
    help: "what there is",
    act: async () =>
      [
        ...Object.entries(SLASH).map(([name, { help }]) => `/${name} — ${help}`),
        ...EVERYWHERE.filter((name) => !Object.hasOwn(SLASH, name)).map(
          (name) => `/${name} — ${EVERYWHERE_HELP[name].does}`,
        ),
      ].join("\n"),
  },
  stop: {
    help: "stop the running run (Esc)",
    act: async (_rest, acting) => (await act({ kind: "stop" }, acting)).emitted,
  },
  retry: {
    help: "ask the last message again",
    act: (_rest, { api, sessionId }, command_id) => emitted(api.retry(sessionId, { command_id })),
  },
  undo: {
    help: "leave the last exchange out",
    act: (_rest, { api, sessionId }, command_id) => emitted(api.undo(sessionId, { command_id })),
  },
  compress: {
    help: "summarise the conversation",
    act: (focus, { api, sessionId }, command_id) =>
      emitted(api.compress(sessionId, { command_id, ...(focus && { focus }) })),
  },
  title: {
    help: "rename the session: /title New name",
    act: (title, { api, sessionId }) =>
      title ? emitted(api.updateTitle(sessionId, title)) : Promise.resolve("Say the title too."),
  },
  goal: {
    help: "a standing goal: /goal text, /goal clear",
    act: (text, { api, sessionId }) =>
      emitted(api.updateGoal(sessionId, goalRequest({ args: text }))),
  },
  model: {
    help: "use another model from here on: /model provider/name",
    act: (model, { api, sessionId }) =>
      model
        ? emitted(api.updateSession(sessionId, { model }))
        : Promise.resolve("Say which model."),
  },
  yolo: {
    help: "allow everything that would be asked: /yolo on, /yolo off",
    act: (rest, { api, sessionId }) =>
      emitted(api.updateSession(sessionId, { yolo: rest === "on" })),
  },
};
