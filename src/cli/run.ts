// `run "prompt"`: one run from the shell. Uses the runner that is there, or is one itself until the
// run ends. The exit code tells the outcome: 0 completed, 1 failed, 4 needs a person, 130 stopped.
import { randomUUID } from "node:crypto";
import { type Config, type Parsed, UsageError } from "../config.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import { isAlive } from "../kernel/journal/liveness.ts";
import type { RunEvent } from "../kernel/events/events.ts";
import { onVolume } from "../kernel/events/workspace-place.ts";
import { runRunner } from "../kernel/run/loop/runner.ts";
import { answerPending } from "./answer-pending.ts";
import { openJournal } from "./open-journal.ts";
import { printer } from "./print-event.ts";
import { runnerOptions } from "./work.ts";

export const flags = {
  json: { type: "boolean" },
  quiet: { type: "boolean" },
  session: { type: "string" },
} as const;

const EXIT = { completed: 0, failed: 1, expired: 1, cancelled: 130 } as const;
const NEEDS_PERSON = 4;

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  const message = positionals.join(" ").trim();
  if (message === "") throw new UsageError('What should be done? quarterdeck run "prompt"');
  if (values["json"] && values["quiet"]) throw new UsageError("--json or --quiet, not both.");
  await using journal = await openJournal(config, { patient: "always" }); // it is a runner, too
  const session_id = values["session"] as string | undefined;
  const start = {
    message,
    source: "cli",
    message_id: randomUUID(),
    ...(session_id && { session_id }),
  };
  const defaults = { model: config.model, workspace: onVolume(config.workspace, config.volumes) };
  const { run_id: runId, session_id: sessionId } = await journal.commands.startRun(start, defaults);
  if (runId === null || sessionId === null)
    throw new Error("the journal admitted a run without an id");
  const stop = new AbortController();
  const runner = (await hasRunner(journal)) ? undefined : ownRunner(config, journal, stop.signal);
  const cancel = () => journal.commands.cancelRun(runId, { reason: "Ctrl+C" });
  process.on("SIGINT", () => void cancel());
  try {
    return await follow(journal, { runId, sessionId, cancel }, printer(values));
  } finally {
    stop.abort();
    await runner;
  }
}

async function hasRunner(journal: Journal): Promise<boolean> {
  const records = await journal.registry.processes();
  return records.some((record) => record.kind === "runner" && isAlive(record) !== false);
}

async function ownRunner(config: Config, journal: Journal, signal: AbortSignal): Promise<void> {
  await runRunner(runnerOptions(config, journal), signal);
}

type Followed = {
  readonly runId: string;
  readonly sessionId: string;
  readonly cancel: () => Promise<unknown>;
};

async function follow(
  journal: Journal,
  { runId, sessionId, cancel }: Followed,
  print: (event: RunEvent, body: string) => void,
): Promise<number> {
  let after = 0;
  let wake = Promise.withResolvers<void>();
  const unwatch = journal.watch((hint) => {
    if (hint === "all" || hint.logId === runId) wake.resolve();
  });
  const idle = setInterval(() => wake.resolve(), 1_000);
  try {
    for (;;) {
      wake = Promise.withResolvers();
      const page = await journal.readRun(runId, after, 200);
      for (const [seq, , body] of page?.rows ?? []) {
        after = seq;
        const event = JSON.parse(body) as RunEvent;
        print(event, body);
        if (event.type === "done") return EXIT[event.payload.status];
      }
      if (page?.rows.length) continue;
      const attended = await answerPending(journal, sessionId);
      if (attended === "left") return NEEDS_PERSON;
      if (attended === "interrupted") await cancel();
      await wake.promise;
    }
  } finally {
    clearInterval(idle);
    unwatch();
  }
}
