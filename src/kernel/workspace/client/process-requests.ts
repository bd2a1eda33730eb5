// Carries out people's requests to background commands: input and termination. A request is an event of the run.
// Requests from before this runner's claim are ignored: their process died with its runner.
import { setTimeout } from "node:timers/promises";
import type { Draft, EventOf, RunEvent } from "../../events/events.ts";
import { isTerminal } from "../../state/run/status.ts";
import type { RunLog } from "../../run/loop/run-log.ts";
import type { RunDeps } from "../../run/loop/run-loop.ts";
import { grantsOfProcess } from "../../run/tools/process-ids.ts";

const PAGE = 200;
const LOOK_MS = 20; // wakes come with every commit
const PATIENCE_MS = 10_000;

type Deps = Pick<RunDeps, "host" | "claimedUntil">;
type Asked = EventOf<"process.asked">["payload"];

export function followRequests(log: RunLog, deps: Deps): Disposable {
  const { journal, claim } = log;
  const over = new AbortController();
  let cursor = log.state.seq;
  let looking: Promise<void> | undefined;
  let again = false;

  async function look(): Promise<void> {
    await setTimeout(LOOK_MS, undefined, { signal: over.signal });
    for (;;) {
      // Nothing can have been wanted of a process that had not begun.
      const { processes, seq } = log.state;
      if (!processes.some(({ status }) => status === "running")) {
        cursor = Math.max(cursor, seq);
        return;
      }
      const page = await journal.readRun(claim.runId, cursor, PAGE);
      for (const [at, , body] of page?.rows ?? []) {
        cursor = at;
        if (!body.includes('"process.asked"')) continue;
        const event = JSON.parse(body) as RunEvent;
        if (event.type === "process.asked") await grant(log, deps, event.payload);
      }
      if (over.signal.aborted || (page?.rows.length ?? 0) < PAGE) return;
    }
  }

  function wake(): void {
    again = true;
    looking ??= (async () => {
      while (again && !over.signal.aborted) {
        again = false;
        await look();
      }
    })()
      .catch(() => undefined) // over, or the journal is away: then the run is let go, and says so itself
      .finally(() => (looking = undefined));
  }

  const unwatch = journal.watch((hint) => {
    if (hint === "all" || hint.logId === claim.runId) wake();
  });
  return {
    [Symbol.dispose]() {
      over.abort();
      unwatch();
    },
  };
}

async function grant(log: RunLog, { host, claimedUntil }: Deps, asked: Asked): Promise<void> {
  const { process_id, action, text, close } = asked;
  const known = log.state.processes.find(({ processId }) => processId === process_id);
  if (known?.status !== "running") return;
  const answer = await host(log.workspace, grantsOfProcess(process_id)).call({
    tool: "process",
    input: action === "kill" ? { action, process_id } : { action, process_id, data: text, close },
    marker: log.claim.runId,
    notAfter: await claimedUntil(),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  // That it ended is told by the host itself; what was typed shows in what it prints.
  if (answer.ok || isTerminal(log.state.status)) return;
  const message = `${action === "kill" ? "It could not be ended" : "It was not typed"}: ${answer.error.message}`;
  const draft: Draft = { type: "progress", payload: { phase: "process", message, call_id: null } };
  await log.append([draft]).catch(() => undefined);
}
