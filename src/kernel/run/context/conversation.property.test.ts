// Random sessions through the real run loop: people steer, take back, stop, undo, retry, rerun, branch,
// compress and bring a past of their own while a model answers anything and runners are lost. Whatever happened, every request a
// model gets is one that strict providers accept, has every word that counts, and none that was undone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded, type Random } from "../../../../test/support/random.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { claimNext, DEFAULTS } from "../../journal/contract/store.contract.ts";
import type { Claim, Journal } from "../../journal/journal.ts";
import type { HistoryMessage } from "../../events/catalogue/lifecycle.ts";
import { isTerminal } from "../../state/run/status.ts";
import { ModelError, type Model, type ModelPart, type ModelRequest } from "../models/model.ts";
import { toPrompt } from "../models/sdk/prompt.ts";
import type { Agent } from "../permissions/policy.ts";
import { RunLog, RunnerStopping } from "../loop/run-log.ts";
import { executeRun, type RunDeps } from "../loop/run-loop.ts";
import { createCompressTool } from "../tools/compress.ts";
import { todoTool } from "../tools/planning.ts";
import { toolsetOf } from "../tools/toolset.ts";

const SESSIONS = 6;
const COMMANDS = 40;
const WORD = /\bw\d+\b/g;

/** What a session's next model must have been told, word for word or in a summary. */
type Said = { readonly runId: string; readonly word: string; readonly elsewhere?: true };
type Person = {
  readonly random: Random;
  readonly journal: Journal;
  readonly emitted: Map<string, Said[]>; // by session
  readonly sessions: string[];
  words: number;
};

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[random.below(items.length)] as Item;
const wordsIn = (text: string) => new Set(text.match(WORD));

function checkValid({ messages }: ModelRequest): void {
  const [system, ...rest] = toPrompt(messages, { model: "p/m", strictIds: true });
  const shape = rest.map(({ role }) => role).join(" ");
  assert.equal(system?.role, "system");
  assert.equal(rest[0]?.role, "user", shape);
  assert.ok(["user", "tool"].includes(rest.at(-1)?.role ?? ""), shape);
  const ids = new Set<string>();
  for (const [at, message] of rest.entries()) {
    const next = rest[at + 1];
    assert.notEqual(message.role, next?.role, `${shape}: roles alternate`);
    if (message.role === "user" || message.role === "assistant") {
      assert.ok(message.content.length > 0, `${shape}: no empty message`);
      const blank = message.content.filter(
        (part) => part.type === "text" && part.text.trim() === "",
      );
      assert.deepEqual(blank, []);
    }
    const called =
      message.role === "assistant"
        ? message.content.filter(({ type }) => type === "tool-call")
        : [];
    const results = next?.role === "tool" ? next.content : [];
    const idOf = (part: object) => (part as { toolCallId: string }).toolCallId;
    assert.deepEqual(results.map(idOf), called.map(idOf), `${shape}: one result for each call`);
    for (const id of called.map(idOf)) {
      assert.ok(!ids.has(id), `${id} is used once`);
      ids.add(id);
    }
  }
}

/** Says anything, and lets the person interfere at every pause. */
function anyModel(person: Person, interfere: (runId: string) => Promise<void>): Model {
  const { random } = person;
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    await interfere(request.runId);
    signal.throwIfAborted();
    if (request.tools.length === 0) {
      const text = request.messages.map((message) => message.text).join("\n");
      const summary = [...wordsIn(text)].join(" ") || "nothing";
      const decision = pick(random, ["met", "continue", "blocked"]);
      const isGoal = request.messages[0]?.text.startsWith("You judge") === true;
      yield { type: "text", text: isGoal ? JSON.stringify({ decision, reason: "so" }) : summary };
      yield { type: "finish", reason: "stop" };
      return;
    }
    checkValid(request);
    await checkEmitted(person, request);
    yield* answer(random, interfere.bind(undefined, request.runId));
    signal.throwIfAborted();
  }
  return { provider: "p", id: "m", contextWindow: 100_000, price: null, stream };
}

async function* answer(random: Random, interfere: () => Promise<void>): AsyncGenerator<ModelPart> {
  if (random.below(4) === 0) yield { type: "reasoning", id: "r", text: "hm" };
  if (random.below(4) > 0) yield { type: "text", text: pick(random, ["\n", "Yes. ", "Well. "]) };
  await interfere();
  const failure = random.below(12);
  if (failure === 0) throw new ModelError("rate_limited", "slower");
  if (failure === 1) throw new ModelError("context_length", "too long");
  if (failure === 2 && random.below(3) === 0) throw new ModelError("bad_request", "no");
  const calls = random.below(2) === 0 ? random.below(4) : 0;
  for (let at = 0; at < calls; at += 1) {
    const name = pick(random, ["todo", "todo", "functions.todo", ""]);
    const argumentsText = pick(random, ['{"items":[]}', "{", "[1]", "null"]);
    yield { type: "tool_call", providerCallId: "same", name, argumentsText };
  }
  const about = { reasoningTokens: null, cachedTokens: null, outputTokens: 1 };
  yield { type: "usage", inputTokens: random.below(100_000), ...about };
  yield { type: "finish", reason: calls > 0 ? "tool_calls" : "stop" };
}

async function checkEmitted({ emitted, journal }: Person, request: ModelRequest): Promise<void> {
  const run = await journal.reads.run(request.runId);
  const expected = emitted.get(run?.session_id ?? "");
  if (!expected) return; // a branch in the middle of a run: only its form is known
  const found = wordsIn(request.messages.map(({ text }) => text).join("\n"));
  const records = await journal.reads.runsOf(run?.session_id ?? "");
  const at = (runId: string) => records.findIndex((record) => record.run_id === runId);
  const due = expected.filter((said) => at(said.runId) <= at(request.runId));
  const words = counted(due, at).map(({ word }) => word);
  assert.deepEqual([...found].toSorted(), words.toSorted());
}

/** What a run was told of its past stands for everything before that run. */
function counted(said: readonly Said[], at: (runId: string) => number): Said[] {
  const emitted = said.filter(({ elsewhere }) => elsewhere).map(({ runId }) => at(runId));
  const from = Math.max(-1, ...emitted);
  return said.filter(({ runId }) => at(runId) >= from);
}

const say = (person: Person) => `w${(person.words += 1)}`;
const note = ({ emitted }: Person, sessionId: string, said: Said) =>
  void emitted.get(sessionId)?.push(said);
const forget = ({ emitted }: Person, sessionId: string, gone: (said: Said) => boolean) =>
  void (
    emitted.has(sessionId) &&
    emitted.set(sessionId, emitted.get(sessionId)?.filter((it) => !gone(it)) ?? [])
  );

/** While a run goes on: steer it, take the steer back, stop it, lose its runner. */
async function interfereWith(person: Person, runId: string, lose: () => void): Promise<void> {
  const { random, journal } = person;
  const sessionId = (await journal.reads.run(runId))?.session_id ?? "";
  const what = random.below(16);
  if (what < 3) {
    const word = say(person);
    const steer = { message: word, message_id: word, mode: "steer" } as const;
    const outcome = await journal.commands.queueMessage(runId, steer);
    if (outcome?.status !== "accepted") return;
    const ids = { runId, messageId: word };
    const back = random.below(3) === 0 && (await journal.commands.editMessage(ids, { text: null }));
    if (!back || back.status !== "accepted") unread.push({ sessionId, runId, word });
  } else if (what === 3) await journal.commands.cancelRun(runId, {});
  else if (what === 4) lose();
}

const unread: (Said & { sessionId: string })[] = [];

/** A steer counts from the next turn on: what began before it was said need not have it. */
function readBy(person: Person, runId: string): void {
  for (const said of unread.splice(0)) {
    if (said.runId !== runId) unread.push(said);
    else note(person, said.sessionId, said);
  }
}

async function command(person: Person): Promise<void> {
  const { random, journal, sessions, emitted } = person;
  const session_id = pick(random, sessions);
  const runs = (await journal.reads.runsOf(session_id)).filter(
    ({ rewound_at }) => rewound_at === null,
  );
  const word = say(person);
  switch (random.below(9)) {
    case 0: {
      const done = await journal.commands.undo(session_id, {});
      const gone = (done?.payload as { run_ids?: string[] } | undefined)?.run_ids ?? [];
      return forget(person, session_id, ({ runId }) => gone.includes(runId));
    }
    case 1:
    case 2: {
      const again = random.below(2) === 0;
      const target = again ? undefined : pick(random, runs)?.run_id;
      const before = emitted.get(session_id);
      const done = target
        ? await journal.commands.rerun(target, { message: word })
        : await journal.commands.retry(session_id, {});
      const gone = (done?.payload as { run_ids?: string[] } | undefined)?.run_ids ?? [];
      if (done?.status !== "accepted" || done.run_id === null) return;
      const { run_id: runId } = done;
      const repeated = before?.filter((said) => said.runId === gone[0]) ?? [];
      const first = repeated.find(({ elsewhere }) => !elsewhere);
      forget(person, session_id, (said) => gone.includes(said.runId));
      const words = target ? word : first?.word;
      for (const said of repeated) if (said.elsewhere) note(person, session_id, { ...said, runId });
      if (words) note(person, session_id, { runId, word: words });
      return;
    }
    case 3: {
      const run = pick(random, runs);
      const seq = run && 1 + random.below(run.seq);
      const inside = random.below(2) === 0 && run ? { run_id: run.run_id, seq } : undefined;
      const name = `b${person.words}`;
      const done = await journal.commands.branch(session_id, {
        session_id: name,
        ...(inside as object),
      });
      if (done?.status !== "accepted") return;
      sessions.push(name);
      return inside ? undefined : inherit(person, session_id, name);
    }
    case 4:
      return void (await journal.commands.compress(session_id, {}));
    case 5:
      return void (await journal.commands.updateGoal(session_id, { action: "set", text: "ship" }));
    default: {
      const history = random.below(6) === 0 ? historyOf(person) : [];
      const start = { session_id, message: word, message_id: word, history };
      const { run_id: runId } = await journal.commands.startRun(start, DEFAULTS);
      if (!runId) return;
      if (random.below(8) > 0) {
        for (const { text } of history) {
          for (const said of wordsIn(text)) {
            note(person, session_id, { runId, word: said, elsewhere: true });
          }
        }
        return note(person, session_id, { runId, word });
      }
      await journal.commands.editMessage({ runId, messageId: word }, { text: null });
    }
  }
}

/** Anything another window may bring: either side first, the same side twice, blank words. */
function historyOf(person: Person): HistoryMessage[] {
  const { random } = person;
  const past = Array.from({ length: 1 + random.below(4) }, (): HistoryMessage => {
    const text = random.below(5) === 0 ? " " : say(person);
    return { role: pick(random, ["user", "assistant"]), text };
  });
  return [...past, { role: "assistant", text: say(person) }];
}

/** A branch at the end of a run begins with everything that counted then. */
async function inherit({ emitted, journal }: Person, parent: string, name: string): Promise<void> {
  const point = (await journal.reads.branchedFrom(name))?.runId;
  const runs = (await journal.reads.runsOf(parent)).map(({ run_id }) => run_id);
  const later = runs.slice(runs.indexOf(point ?? "") + 1);
  const past = emitted.get(parent)?.filter(({ runId }) => !later.includes(runId));
  if (!past) return;
  const here = counted(past, (runId) => runs.indexOf(runId));
  emitted.set(
    name,
    here.map(({ runId, word }) => ({ runId, word })),
  );
}

/** Works off everything that waits, losing runners on the way. */
async function work(person: Person): Promise<void> {
  const { journal } = person;
  const stops = new Map<string, AbortController>();
  const model = anyModel(person, (runId) =>
    interfereWith(person, runId, () => stops.get(runId)?.abort(new RunnerStopping())),
  );
  const tools = toolsetOf([todoTool, createCompressTool(() => model)]);
  const policy = { rules: [], budget: null, approvalExpiresS: null, titles: false };
  const agent: Agent = {
    policy,
    toolset: tools,
    problems: [],
    system: async ({ runId }) => (readBy(person, runId), "You are a test."),
  };
  const deps: RunDeps = {
    runnerId: "runner_a",
    sandbox: async () => "none",
    model: () => model,
    host: () => assert.fail("no tool host"),
    agent: async () => agent,
    claimedUntil: () => process.hrtime.bigint() + 60_000_000_000n,
    recovery: { resume: "auto", maxAgeS: 600, maxAttempts: 1_000 },
    retry: { maxAttempts: 3, baseMs: 0, capMs: 0 },
  };
  for (let claim = await claimNext(journal); claim; claim = await claimNext(journal)) {
    await runClaim(journal, claim, { stops, deps });
    await checkEnded(person, claim);
  }
}

type Deps = { stops: Map<string, AbortController>; deps: RunDeps };

async function runClaim(journal: Journal, claim: Claim, { stops, deps }: Deps): Promise<void> {
  const stop = new AbortController();
  stops.set(claim.runId, stop);
  using log = await RunLog.open(journal, claim, stop.signal);
  await executeRun(log, deps).catch(async (error: unknown) => {
    if (!stop.signal.aborted) throw error;
    await journal.release(claim);
  });
}

/** A run does not end over something that was said to it and that nobody has read (C3). */
async function checkEnded(person: Person, { runId }: Claim): Promise<void> {
  const { status = "queued" } = (await person.journal.reads.run(runId)) ?? {};
  if (!isTerminal(status)) return;
  const left = unread.filter((said) => said.runId === runId);
  if (status === "completed") assert.deepEqual(left, [], "said and never read");
  readBy(person, runId); // the next run's model reads it as what was said to this one
}

test("[R2, R10, C3, C8, C12, C13] any history of a session makes a conversation every provider accepts", async () => {
  const random = seeded();
  console.log(`seed ${random.seed}`);
  for (let round = 0; round < SESSIONS; round += 1) {
    await using store = sqliteStore();
    const journal = await store.connect();
    const person: Person = { random, journal, emitted: new Map(), sessions: ["s1"], words: 0 };
    person.emitted.set("s1", []);
    unread.length = 0;
    await journal.commands.createSession({ session_id: "s1" }, DEFAULTS);
    for (let step = 0; step < COMMANDS; step += 1) {
      await command(person);
      if (random.below(3) > 0) await work(person);
    }
    await work(person);
  }
});
