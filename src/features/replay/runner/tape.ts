// What is on a cassette: of each run what its models said and its tools answered, and what people did in between.
// What cannot be done again the same way (crashes, cancels, what somebody cut out) is said before anything is played.
import type { EventOf, PayloadOf, RunEvent } from "../../../kernel/events/events.ts";
import { isBudgetRequest } from "../../../kernel/events/budget.ts";
import type { Budget } from "../../../kernel/events/catalogue/lifecycle.ts";
import type { Rule } from "../../../kernel/events/catalogue/permissions.ts";
import { own } from "../../../kernel/events/own.ts";

export type RunTape = {
  readonly runId: string;
  readonly isRoot: boolean;
  readonly events: readonly RunEvent[];
  readonly queued: PayloadOf<"run.queued">;
  readonly message: PayloadOf<"message.user">;
  readonly sandbox: "none" | "bubblewrap";
  /** The rules and limits that held. */
  readonly rules: readonly Rule[];
  readonly budget: Budget | null;
};
/** Something a person did, with everything that was told before it. */
export type Input = {
  readonly event: EventOf<
    "message.user" | "approval.resolved" | "clarify.resolved" | "session.updated"
  >;
  /** Root runs that had ended by then. */
  readonly after: readonly string[];
  /** Arguments the person changed. */
  readonly replanned: PayloadOf<"tool.replanned"> | null;
};
export type Tape = {
  readonly created: PayloadOf<"session.created">;
  readonly runs: ReadonlyMap<string, RunTape>;
  readonly inputs: readonly Input[];
};

/** The recording has something in it that cannot be done again. */
export class NotReplayable extends Error {
  override name = "NotReplayable";
}

const CANNOT: Readonly<Record<string, string>> = {
  recovery: "a runner was lost in it",
  "tool.outcome_unknown": "the outcome of a call was unknown",
  "goal.updated": "it has a standing goal",
  "session.rewound": "something in it was undone",
  "message.edited": "a message was edited while it waited",
  "queue.updated": "messages waited behind a run",
};

export function tapeOf(events: readonly RunEvent[]): Tape {
  for (const event of events) refuse(event);
  const sessionId = events[0]?.session_id;
  const created = events.find((event) => event.type === "session.created");
  if (!created) throw new NotReplayable("it does not begin with a session");
  const byRun = Map.groupBy(events, ({ run_id }) => run_id);
  const runs = new Map<string, RunTape>();
  for (const [runId, of] of byRun) if (runId !== sessionId) runs.set(runId, runTape(runId, of));
  if (runs.size === 0) throw new NotReplayable("there is no run in it");
  return { created: created.payload, runs, inputs: inputsOf(events, runs) };
}

function refuse(event: RunEvent): void {
  const why = own(CANNOT, event.type);
  if (why !== undefined) throw new NotReplayable(why);
  if ((event as { redacted?: boolean }).redacted) {
    throw new NotReplayable("it was redacted; export it with the policy full");
  }
  if (asksForTime(event)) throw new NotReplayable("a limit of time or cost was reached in it");
  if (event.type === "status" && event.payload.status === "cancelling") {
    throw new NotReplayable("it was stopped by a person");
  }
  if (event.type === "message.user" && event.payload.mode !== "start") {
    throw new NotReplayable("a message reached a run while it was going on");
  }
  if (event.type === "message.user" && event.payload.attachments.some(({ sha256 }) => sha256)) {
    throw new NotReplayable("a message has files with it");
  }
  if (event.type === "tool.intent" && event.payload.turn_id === "direct") {
    throw new NotReplayable("a command of a person was a run of its own");
  }
}

function runTape(runId: string, events: readonly RunEvent[]): RunTape {
  const queued = events.find((event) => event.type === "run.queued")?.payload;
  const message = events.find((event) => event.type === "message.user")?.payload;
  const started = events.find((event) => event.type === "run.started")?.payload;
  if (!queued || !message || !started) throw new NotReplayable(`run ${runId} has no beginning`);
  if (events.at(-1)?.type !== "done") throw new NotReplayable(`run ${runId} has not ended`);
  const isRoot = queued.parent_run_id === null;
  return { runId, isRoot, events, queued, message, sandbox: started.sandbox, ...policyOf(events) };
}

/** A limit of cost is not taken along: what something costs is not what is done again. */
function policyOf(events: readonly RunEvent[]): Pick<RunTape, "rules" | "budget"> {
  const policy = events.find((event) => event.type === "turn.started")?.payload.policy;
  if (!policy) return { rules: [], budget: null };
  const { rules, budget } = policy;
  if (rules === null) throw new NotReplayable("it had too many rules to record");
  return { rules, budget: budget && { ...budget, cost_usd: null } };
}

const OF_THE_MACHINE = /s of running|\$\d|unknown price/;

/** Whether a limit of time or cost was reached depends on the machine and on prices. */
function asksForTime(event: RunEvent): boolean {
  if (event.type !== "clarify.requested") return false;
  const { clarify_id, question } = event.payload;
  return isBudgetRequest(clarify_id) && OF_THE_MACHINE.test(question);
}

function inputsOf(events: readonly RunEvent[], runs: ReadonlyMap<string, RunTape>): Input[] {
  const inputs: Input[] = [];
  const over: string[] = [];
  let replanned: PayloadOf<"tool.replanned"> | null = null;
  for (const event of events) {
    const isRoot = runs.get(event.run_id)?.isRoot === true;
    if (event.type === "done" && isRoot) over.push(event.run_id);
    if (event.type === "tool.replanned") replanned = event.payload;
    const isInput =
      (event.type === "message.user" && isRoot) ||
      (event.type === "approval.resolved" && event.payload.choice !== null) ||
      (event.type === "clarify.resolved" && event.payload.status === "answered") ||
      event.type === "session.updated";
    if (!isInput) continue;
    inputs.push({ event, after: [...over], replanned });
    replanned = null;
  }
  return inputs;
}
