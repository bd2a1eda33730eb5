// Does again what people did, when it is time for it: a run begins when those before it are over, and an answer is
// given when the question is asked. Ends when every run has ended, or when nothing recorded can go on any more.
import type { Journal } from "../../../kernel/journal/journal.ts";
import { canonical } from "../../../kernel/journal/admit/plan-hash.ts";
import type { PayloadOf } from "../../../kernel/events/events.ts";
import type { Input, RunTape, Tape } from "./tape.ts";

/** Nothing happened for so long: what is waited for does not come. */
const QUIET_MS = 15_000;

export type Playing = {
  readonly journal: Journal;
  readonly sessionId: string;
  readonly tape: Tape;
  /** Recorded run ids and what they are now; filled as runs begin. */
  readonly ids: Map<string, string>;
};

export async function play(playing: Playing): Promise<void> {
  const { journal, tape, ids } = playing;
  for (const [at, input] of tape.inputs.entries()) {
    const isStuck = () => stuck(playing, tape.inputs.slice(at));
    if (!(await settled(journal, () => give(playing, input), isStuck))) return;
  }
  const roots = [...tape.runs.values()].filter(({ isRoot }) => isRoot);
  const runs = roots.map(({ runId }) => runId);
  await settled(
    journal,
    () => allOver(journal, ids, runs),
    () => stuck(playing, []),
  );
}

/** Which of the wider rules the person chose, if one. */
function patternOf(
  run: RunTape | undefined,
  { approval_id, rule }: PayloadOf<"approval.resolved">,
) {
  if (!rule) return {};
  const asked = run?.events.find(
    (event) => event.type === "approval.requested" && event.payload.approval_id === approval_id,
  );
  const wider = asked?.type === "approval.requested" ? (asked.payload.wider ?? []) : [];
  return { pattern: wider.findIndex((it) => canonical(it.rule) === canonical(rule)) };
}

/** True when it was given; false when it is not time yet. */
async function give({ journal, sessionId, tape, ids }: Playing, { event, ...input }: Input) {
  const now = (runId: string) => renamed(ids, runId);
  switch (event.type) {
    case "message.user": {
      if (!(await allOver(journal, ids, input.after))) return false;
      const run = tape.runs.get(event.run_id);
      if (run) ids.set(event.run_id, await begin(journal, sessionId, run));
      return true;
    }
    case "approval.resolved": {
      const { choice, feedback, approval_id } = event.payload;
      const approvalId = now(approval_id);
      const runId = now(event.run_id);
      if (!(await isPending(journal, approvalId)) || choice === null) return false;
      const plan = input.replanned?.plan;
      const said = { choice, ...(feedback !== null && { feedback }), by: event.payload.by };
      const edited = plan ? { arguments: plan.arguments } : {};
      const chosen = patternOf(tape.runs.get(event.run_id), event.payload);
      await journal.commands.respondApproval(
        { runId, approvalId },
        { ...said, ...edited, ...chosen },
      );
      return true;
    }
    case "clarify.resolved": {
      const { clarify_id, response, by } = event.payload;
      const clarifyId = now(clarify_id);
      if (!(await isPending(journal, clarifyId))) return false;
      const runId = now(event.run_id);
      await journal.commands.respondClarify({ runId, clarifyId }, { response: response ?? "", by });
      return true;
    }
    case "session.updated": {
      if (!(await allOver(journal, ids, input.after))) return false;
      const { dismissed_run_id: _seen, ...changed } = event.payload;
      if (Object.keys(changed).length > 0) await journal.commands.updateSession(sessionId, changed);
      return true;
    }
    default:
      return event satisfies never;
  }
}

async function begin(journal: Journal, session_id: string, run: RunTape): Promise<string> {
  const { queued, message } = run;
  const { model, workspace, profile, source, toolsets, instructions, metadata, history } = queued;
  const { budget } = queued;
  const limits = Object.entries(budget ?? {}).filter(([, limit]) => limit !== null);
  const outcome = await journal.commands.startRun(
    {
      session_id,
      message: message.text,
      message_id: message.message_id,
      model,
      workspace,
      profile,
      source,
      toolsets,
      metadata,
      ...(instructions !== null && { instructions }),
      ...(history && { history }),
      ...(limits.length > 0 && { budget: Object.fromEntries(limits) }),
    },
    { model, workspace, profile },
  );
  return outcome.run_id ?? "";
}

async function isPending(journal: Journal, requestId: string): Promise<boolean> {
  return (await journal.reads.pending({})).some(({ request_id }) => request_id === requestId);
}

async function allOver(
  journal: Journal,
  ids: ReadonlyMap<string, string>,
  runs: readonly string[],
): Promise<boolean> {
  for (const runId of runs) {
    const record = await journal.reads.run(ids.get(runId) ?? "");
    if (!record?.ended_at) return false;
  }
  return true;
}

/** Subagents and requests are named after their run: the longest known name in it is replaced. */
export function renamed(ids: ReadonlyMap<string, string>, text: string): string {
  for (const [then, now] of ids) if (text.includes(then)) return text.replaceAll(then, now);
  return text;
}

/** What waits for a person is not what was answered then, or nothing goes on that could ask. */
async function stuck({ journal, ids }: Playing, rest: readonly Input[]): Promise<boolean> {
  const answers = rest.flatMap(({ event: { type, payload } }) => {
    if (type === "approval.resolved") return [renamed(ids, payload.approval_id)];
    return type === "clarify.resolved" ? [renamed(ids, payload.clarify_id)] : [];
  });
  const pending = await journal.reads.pending({});
  if (pending.some(({ request_id }) => !answers.includes(request_id))) return true;
  const next = rest[0]?.event.type;
  const isAnswer = next === "approval.resolved" || next === "clarify.resolved";
  return isAnswer && (await allOver(journal, ids, [...ids.keys()]));
}

/** Tries again after everything that happens; false when nothing happens any more. */
async function settled(
  journal: Journal,
  attempt: () => Promise<boolean>,
  isStuck: () => Promise<boolean>,
): Promise<boolean> {
  let wake = Promise.withResolvers<boolean>();
  const unwatch = journal.watch(() => wake.resolve(true));
  try {
    for (;;) {
      wake = Promise.withResolvers();
      const { resolve } = wake;
      if (await attempt()) return true;
      if (await isStuck()) return false;
      const quiet = setTimeout(() => resolve(false), QUIET_MS);
      const happened = await wake.promise;
      clearTimeout(quiet);
      if (!happened) return false;
    }
  } finally {
    unwatch();
  }
}
