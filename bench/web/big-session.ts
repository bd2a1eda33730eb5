// A session as long work leaves it: turns with thinking, text and calls, with subagents. Its size is exact, so that
// figures of different days are comparable.
import type { Claim, Journal } from "../../src/kernel/journal/journal.ts";
import { openSqlite } from "../../src/kernel/journal/sqlite/sqlite.ts";
import type { Draft } from "../../src/kernel/events/events.ts";
import * as d from "../../test/support/drafts.ts";
import { FEATURES } from "../../src/features/journal-features.ts";

export type Size = { readonly events: number; readonly calls: number; readonly subagents: number };

const DEFAULTS = { model: "demo/demo", workspace: "/" };
const PROSE = "Each event is kept before anyone sees it, so the run goes on where it was. ";
const OUTPUT = Array.from({ length: 12 }, (_, line) => `line ${line}: ok (${line * 7} ms)`).join(
  "\n",
);
const CALLS_PER_TURN = 3;
const TOOLS = ["exec", "read", "edit", "search_files"] as const;

export async function bigSession(
  home: string,
  { events, calls, subagents }: Size,
): Promise<string> {
  await using journal = await openSqlite({ features: FEATURES, home });
  const started = await journal.commands.startRun({ message: "A long piece of work" }, DEFAULTS);
  const sessionId = started.session_id as string;
  const root = await claim(journal, false);
  const ofChild = Math.floor((calls - subagents) / 3 / subagents);
  const ofRoot = calls - subagents - ofChild * subagents;
  await write(journal, root, [d.started()]);
  for (let child = 1; child <= subagents; child += 1) {
    const share = Math.floor(ofRoot / subagents) + (child <= ofRoot % subagents ? 1 : 0);
    await write(journal, root, [
      ...turns(`r${child}`, share),
      d.intent(`sub${child}`, `t${child}`),
    ]);
    await delegate(journal, root, { child, calls: ofChild });
    await write(journal, root, [d.toolDone(`sub${child}`)]);
  }
  const { seq = 0 } = (await journal.reads.session(sessionId)) ?? {};
  await write(journal, root, filler(events - seq - 2));
  await write(journal, root, [d.said("last", "The end of a long piece of work.", "t1.1")]);
  const { seq: last = 0 } = (await journal.reads.run(root.runId)) ?? {};
  await write(journal, root, [d.done(last + 1, "completed", "done")]);
  const total = (await journal.reads.session(sessionId))?.seq;
  if (total !== events) throw new Error(`${total} events instead of ${events}`);
  return sessionId;
}

async function delegate(journal: Journal, parent: Claim, of: { child: number; calls: number }) {
  const runId = `${parent.runId}.sub${of.child}`;
  await journal.startChild({
    runId,
    parent,
    message: `Part ${of.child}`,
    title: `Part ${of.child}`,
  });
  const claimed = await claim(journal, true);
  await write(journal, parent, [
    {
      type: "subagent.started",
      payload: {
        subagent_id: `sub${of.child}`,
        child_run_id: runId,
        call_id: `sub${of.child}`,
        title: `Part ${of.child}`,
        prompt: `Part ${of.child}`,
        depth: 1,
      },
    },
  ]);
  await write(journal, claimed, [d.started(), ...turns(`c${of.child}`, of.calls)]);
  const { seq = 0 } = (await journal.reads.run(runId)) ?? {};
  await write(journal, claimed, [d.done(seq + 1, "completed", `Part ${of.child} is done.`)]);
}

/** Turns with that many calls in all. */
function turns(prefix: string, calls: number): Draft[] {
  const drafts: Draft[] = [];
  for (let call = 0, turn = 1; call < calls; turn += 1) {
    const id = `${prefix}.${turn}`;
    drafts.push(d.turnStarted(turn), d.thought(`think ${id}`, "What comes next? "));
    drafts.push(d.thoughtDone(`think ${id}`, "What comes next? This."));
    for (const word of PROSE.split(" ")) {
      drafts.push(d.token(`m ${id}`, `${word} `), d.thought(`aside ${id}`, `${word} `));
    }
    drafts.push(d.said(`m ${id}`, PROSE, `t${turn}.1`));
    for (let one = 0; one < CALLS_PER_TURN && call < calls; one += 1, call += 1) {
      drafts.push(...callOf(`${id}.${one}`, `t${turn}.1`, TOOLS[call % TOOLS.length] ?? "exec"));
    }
    drafts.push(d.used(turn, 1_200), d.turnCompleted(turn));
  }
  return drafts;
}

function callOf(callId: string, turnId: string, name: (typeof TOOLS)[number]): Draft[] {
  const intent = d.intent(callId, turnId) as Extract<Draft, { type: "tool.intent" }>;
  const done = d.toolDone(callId) as Extract<Draft, { type: "tool.done" }>;
  const args = { command: `make part-${callId}`, path: `src/part-${callId}.ts`, pattern: "part" };
  const plan = { ...intent.payload.plan, tool: name, arguments: args };
  const output = { ...done.payload.output, head: OUTPUT, bytes: OUTPUT.length };
  return [
    { ...intent, payload: { ...intent.payload, name, label: `${name} part-${callId}`, plan } },
    d.toolStarted(callId),
    d.printed(callId, `${OUTPUT}\n`),
    { ...done, payload: { ...done.payload, name, output, duration_ms: 40 } },
  ];
}

/** Alternates between two messages, because deltas of one block that are written together become one event. */
function filler(count: number): Draft[] {
  const words = PROSE.split(" ");
  return Array.from({ length: count }, (_, at) =>
    d.token(`filler ${Math.floor(at / 400)} ${at % 2}`, `${words[at % words.length]} `),
  );
}

async function claim(journal: Journal, childrenOnly: boolean): Promise<Claim> {
  const claimed = await journal.claimNext({
    runnerId: "bench",
    leaseMs: 3_600_000,
    lost: [],
    childrenOnly,
    volumes: [],
  });
  if (!claimed) throw new Error("nothing to claim");
  return claimed;
}

async function write(journal: Journal, claimed: Claim, drafts: readonly Draft[]): Promise<void> {
  for (let from = 0; from < drafts.length; from += 500) {
    const result = await journal.append(claimed, drafts.slice(from, from + 500));
    if (!result.ok) throw new Error(result.reason);
  }
}
