// A recording as a regression test: the runner's real loop in a home of its own, with the recorded model and the
// recorded tools, must tell the same run again. Nothing outside of that home is touched, and no model is asked.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { openSqlite } from "../../../kernel/journal/sqlite/sqlite.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { runRunner, type RunnerOptions } from "../../../kernel/run/loop/runner.ts";
import type { ToolHost } from "../../../kernel/workspace/client/tool-host/client.ts";
import { createDelegateTool } from "../../../kernel/run/tools/delegate.ts";
import type { Tool } from "../../../kernel/run/tools/tool.ts";
import { describe, firstDifference, normalised } from "./compare.ts";
import { play, renamed } from "./play.ts";
import { isBeside, recordedModels } from "./recorded-model.ts";
import { CASSETTE_TOOLS, recordedToolset } from "./recorded-tools.ts";
import { NotReplayable, tapeOf, type RunTape, type Tape } from "./tape.ts";
import { FEATURES } from "../../journal-features.ts";

export type CassetteResult = {
  readonly status: "same" | "drifted" | "unsupported";
  readonly compared: number; // events
  readonly message: string; // the first difference, or why it cannot be done again
};

/** `tools`: as they are today, unless somebody wants to try others. */
export async function checkCassette(
  events: readonly RunEvent[],
  tools: readonly Tool[] = CASSETTE_TOOLS,
): Promise<CassetteResult> {
  let tape: Tape;
  try {
    tape = tapeOf(events);
  } catch (error) {
    if (!(error instanceof NotReplayable)) throw error;
    const message = `This recording cannot be done again: ${error.message}.`;
    return { status: "unsupported", compared: 0, message };
  }
  const home = mkdtempSync(join(tmpdir(), "quarterdeck-cassette-"));
  try {
    await using journal = await openSqlite({ features: FEATURES, home });
    return await playAndCompare(journal, tape, { home, tools });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

type Deps = { readonly home: string; readonly tools: readonly Tool[] };

async function playAndCompare(
  journal: Journal,
  tape: Tape,
  { home, tools }: Deps,
): Promise<CassetteResult> {
  const { model, workspace, profile, title, source } = tape.created;
  const defaults = { model, workspace, profile };
  const { session_id } = await journal.commands.createSession({ title, source }, defaults);
  const ids = new Map<string, string>();
  const stop = new AbortController();
  const options = runnerOptions(journal, { home, tools, tape, ids });
  const running = runRunner(options, stop.signal);
  try {
    await play({ journal, sessionId: session_id ?? "", tape, ids });
  } finally {
    stop.abort();
    await running;
  }
  let compared = 0;
  for (const { runId, events } of tape.runs.values()) {
    const now = await eventsOf(journal, renamed(ids, runId));
    const sums = !events.some(isBeside);
    const then = normalised(events, { sums });
    const rename = (text: string) => asThen(ids, text);
    const difference = firstDifference(then, normalised(now, { sums, rename }));
    if (difference) return { status: "drifted", compared, message: describe(runId, difference) };
    compared += then.length;
  }
  return { status: "same", compared, message: "" };
}

function asThen(ids: ReadonlyMap<string, string>, text: string): string {
  let then = text;
  for (const [old, now] of ids) then = then.replaceAll(now, old);
  return then;
}

async function eventsOf(journal: Journal, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await journal.readRun(runId, events.length, 500);
    if (!page || page.rows.length === 0) return events;
    events.push(...page.rows.map(([, , body]) => JSON.parse(body) as RunEvent));
  }
}

type Recorded = Deps & { readonly tape: Tape; readonly ids: ReadonlyMap<string, string> };

function runnerOptions(journal: Journal, { home, tools, tape, ids }: Recorded): RunnerOptions {
  const runs = [...tape.runs.values()];
  const tapeFor = (runId: string): RunTape | undefined => tape.runs.get(asThen(ids, runId));
  const models = recordedModels(tapeFor);
  const known = new Map<string, ReturnType<typeof models>>();
  const sandbox = runs[0]?.sandbox ?? "none";
  return {
    journal,
    home,
    model: (name) => {
      const model = known.get(name) ?? models(name, runs);
      known.set(name, model);
      return model;
    },
    hosts: () => ({
      forWorkspace: () => NO_HOST,
      sandboxKind: async () => sandbox,
      [Symbol.asyncDispose]: async () => {},
    }),
    agents: () => ({
      of: async ({ runId }) => {
        const mine = tapeFor(runId);
        if (!mine) throw new Error(`nothing was recorded of ${runId}`);
        const { rules, budget } = mine;
        const withLimits = (tool: Tool) =>
          budget && tool.name === "delegate" ? createDelegateTool(budget) : tool;
        return {
          policy: { rules, budget, approvalExpiresS: null, titles: false },
          toolset: recordedToolset(tools.map(withLimits), mine),
          problems: [],
          system: async () => "",
        };
      },
      [Symbol.asyncDispose]: async () => {},
    }),
    leaseMs: 60_000,
    maxRuns: 50,
    volumes: {},
    drainMs: 0,
    recovery: { resume: "never", maxAgeS: 60, maxAttempts: 0 },
    retry: { maxAttempts: 5, baseMs: 1, capMs: 1 },
    logError: () => {}, // what goes wrong is a difference
  };
}

const refuse = (): never => {
  throw new Error("a recording has no tool host");
};
/** Whoever would reach for files or commands is told so. */
const NO_HOST = new Proxy({} as ToolHost, { get: () => refuse });
