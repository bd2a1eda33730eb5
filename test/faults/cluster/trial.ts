// One trial of a cluster: several sessions at work, two windows on each, a person who answers, and
// faults drawn from the seed while they are at it. Judged from outside, as every trial.
import { setTimeout as delay } from "node:timers/promises";
import type { Frame } from "../../support/http.ts";
import type { Postgres } from "../../support/postgres/postgres.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import { startCluster, type Cluster } from "./cluster.ts";
import { drawFaults, strike, type Breaking, type ClusterFault } from "./faults.ts";
import { drawSessions, follow, send, type Message, type Session, type Window } from "./load.ts";
import { checkDelivery, checkLogs, checkOnce, judgeRun, readStored } from "../oracle.ts";
import { answerEverything } from "../person.ts";
import { seeded, type Random } from "../random.ts";
import type { TrialResult } from "../run-trials.ts";
import { say, type Said } from "../words.ts";

const LIMIT_MS = 240_000;
const SESSIONS = 3;
const FAULTS = 10;
/** Until the next fault: so many frames, or this long if nothing comes. */
const FRAMES = { least: 5, most: 60 };
const PATIENCE_MS = 4_000;

type Watched = { session: Session; window: Window };
type Trial = {
  readonly random: Random;
  readonly cluster: Cluster;
  readonly sessions: readonly Session[];
  readonly windows: readonly Watched[];
  readonly started: Map<string, string[]>; // message -> the run that each server named
  readonly said: Map<string, readonly Said[]>; // of a message's run, and what was answered
  readonly signal: AbortSignal;
  seen: number;
};

export async function runClusterTrial(postgres: Postgres, seed: number): Promise<TrialResult> {
  const began = performance.now();
  const random = seeded(seed);
  const sessions = drawSessions(random, SESSIONS);
  const faults = drawFaults(random, FAULTS);
  await using cluster = await startCluster(postgres);
  const epoch = await epochOf(cluster);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("it took too long")), LIMIT_MS);
  const trial: Trial = {
    random,
    cluster,
    sessions,
    windows: sessions.flatMap((session) =>
      Array.from({ length: 2 }, () => ({ session, window: { frames: [], connections: 0 } })),
    ),
    started: new Map(),
    said: new Map(),
    signal: late.signal,
    seen: 0,
  };
  const fired: string[] = [];
  let problems: string[];
  try {
    await underFaults(trial, { cluster, postgres, restarting: false }, faults, fired);
    problems = await judge(trial, epoch);
  } catch (error) {
    problems = [(error as Error).stack ?? String(error), ...(await unfinished(cluster))];
  } finally {
    clearTimeout(timer);
    late.abort();
  }
  for (const { accidents } of [...cluster.servers, ...cluster.runners]) problems.push(...accidents);
  if (problems.length > 0) problems.push(cluster.output());
  return { seed, fired, problems, ms: Math.round(performance.now() - began) };
}

/** Everything at once, until every message has been answered to the end in every window. */
async function underFaults(
  trial: Trial,
  about: Breaking,
  faults: readonly ClusterFault[],
  fired: string[],
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, trial.signal]);
  const breaking = breakThings(trial, { about, faults, fired, signal });
  const people = trial.cluster.servers.map((member) =>
    answerEverything(() => member.server(), signal),
  );
  try {
    const isOver = ({ messages }: Session, frames: readonly Frame[]) =>
      frames.filter(endsMessage).length >= messages.length;
    await Promise.all([
      ...trial.sessions.map((session) => sendAll(trial, session)),
      watch(trial, isOver),
    ]);
  } finally {
    over.abort();
    await Promise.all([breaking, ...people]);
  }
}

async function sendAll(trial: Trial, session: Session): Promise<void> {
  const { cluster, started, signal } = trial;
  const servers = cluster.servers.map((member) => () => member.server());
  const speaking: Promise<void>[] = [];
  for (const message of session.messages) {
    const named = await send(servers, session, message, signal);
    started.set(message.id, named);
    speaking.push(speak(trial, message, named[0] ?? ""));
  }
  await Promise.all(speaking);
}

/** To a run that waits, goes on or has ended by then, and now to this server and now to that one. */
async function speak(trial: Trial, { id, words }: Message, runId: string): Promise<void> {
  const { cluster, signal } = trial;
  const said: Said[] = [];
  for (const [index, word] of words.entries()) {
    const enough = trial.seen + word.after;
    const until = performance.now() + PATIENCE_MS;
    while (trial.seen < enough && performance.now() < until && !signal.aborted) await delay(10);
    const member = cluster.servers[index % cluster.servers.length] as (typeof cluster.servers)[0];
    const about = { runId, word, id: `${id}-${word.says}-${index}` };
    const answered = await say(() => member.server(), about, signal);
    if (answered) said.push(answered);
  }
  trial.said.set(id, said);
}

async function watch(
  trial: Trial,
  isOver: (session: Session, frames: readonly Frame[]) => boolean,
): Promise<void> {
  const { cluster, random, signal } = trial;
  const servers = cluster.servers.map((member) => () => member.server());
  await Promise.all(
    trial.windows.map(({ session, window }, index) =>
      follow(index % 2 === 0 ? servers : servers.toReversed(), session, {
        window,
        dropAfter: () => random.between(5, 200),
        onFrame: () => void (trial.seen += 1),
        isOver: (frames) => isOver(session, frames),
        signal,
      }),
    ),
  );
}

async function breakThings(
  trial: Trial,
  options: {
    about: Breaking;
    faults: readonly ClusterFault[];
    fired: string[];
    signal: AbortSignal;
  },
): Promise<void> {
  const { about, fired, signal } = options;
  const under: Promise<void>[] = [];
  for (const fault of options.faults) {
    const enough = trial.seen + trial.random.between(FRAMES.least, FRAMES.most);
    const until = performance.now() + PATIENCE_MS;
    while (trial.seen < enough && performance.now() < until && !signal.aborted) await delay(10);
    if (signal.aborted) break;
    under.push(strike(fault, about).then((what) => void (what && fired.push(what))));
  }
  await Promise.all(under);
}

/** The end of what a person asked for, rather than of a run below it. */
function endsMessage({ data }: Frame): boolean {
  const { terminal, run_id } = JSON.parse(data) as { terminal: boolean; run_id: string };
  return terminal && !run_id.includes(".");
}

async function judge(trial: Trial, epoch: string): Promise<string[]> {
  const { cluster, sessions, started } = trial;
  const stored = await readStored(cluster);
  const of = (session: Session) =>
    stored
      .filter(({ session_id }) => session_id === session.id)
      .toSorted((one, other) => one.session_seq - other.session_seq);
  await watch(trial, (session, frames) => frames.length >= of(session).length);
  const problems = [...checkLogs(stored), ...checkOnce(stored)];
  for (const { session, window } of trial.windows) {
    const wrong = checkDelivery(of(session), window.frames);
    problems.push(...wrong.map((what) => `a window of ${session.id}: ${what}`));
  }
  for (const session of sessions) {
    const runs = new Set<string>();
    for (const message of session.messages) {
      const named = started.get(message.id) ?? [];
      const [runId = ""] = named;
      runs.add(runId);
      if (new Set(named).size !== 1) problems.push(`${message.id} became ${named.join(" and ")}`);
      const said = trial.said.get(message.id) ?? [];
      const wrong = judgeRun(stored, runId, cluster.workspace, { ...message, said });
      problems.push(...wrong.map((what) => `${message.id}: ${what}`));
    }
    const ended = of(session).filter(({ body }) => endsMessage({ data: body } as Frame));
    if (runs.size !== session.messages.length || ended.length !== runs.size)
      problems.push(`${session.id}: ${ended.length} runs for ${session.messages.length} messages`);
  }
  const now = await epochOf(cluster);
  const strange = stored.filter(({ body }) => !body.includes(`"epoch":"${epoch}"`));
  if (now !== epoch || strange.length > 0) problems.push(`the epoch was ${epoch} and is ${now}`);
  return problems;
}

async function epochOf({ url }: Cluster): Promise<string> {
  const [row] = await rawSql({ url }, "SELECT value FROM meta WHERE key = 'epoch'");
  return String(row?.["value"]);
}

/** What still went on when the time was over. */
async function unfinished({ url }: Cluster): Promise<string[]> {
  const sql = `SELECT l.log_id, l.status, l.seq, l.fence, l.runner_id, e.body FROM logs l
    JOIN events e ON e.log_key = l.log_key AND e.seq = l.seq
    WHERE l.kind = 'run' AND l.ended_at IS NULL`;
  const rows = await rawSql({ url }, sql).catch((error: unknown) => [{ error: String(error) }]);
  return rows.map((row) => JSON.stringify(row));
}
