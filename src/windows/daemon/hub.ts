// Every client of the daemon window is told of every session. One hub per server, for as long as
// somebody is connected, knows how far each session was told; clients get the same bytes, and nobody's
// pace is anybody else's. It keeps two numbers per session and no events: those are in the journal.
import { ApiError } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { daemonFollows } from "./follow.ts";

type HubDeps = Pick<AppDeps, "journal" | "streams" | "logError">;
/** Must neither throw nor wait. */
type Member = { write(chunk: Buffer): void };
type DaemonHub = {
  /** Settles when whatever is committed from then on will reach the member. */
  join(member: Member, gone: AbortSignal): Promise<void>;
  /** How many sessions are being followed, for tests. */
  readonly size: number;
};

const IDLE_MS = 60_000;

export function daemonHub(deps: HubDeps, idleMs: number = IDLE_MS): DaemonHub {
  const members = new Set<Member>();
  let watch: Watch | undefined;
  const broadcast = (chunk: Buffer) => {
    for (const member of members) member.write(chunk);
  };
  const stop = () => {
    watch?.stop();
    watch = undefined;
  };
  return {
    async join(member, gone) {
      members.add(member);
      gone.addEventListener("abort", () => {
        members.delete(member);
        if (members.size === 0) stop(); // whoever comes next begins at the heads of then
      });
      watch ??= watchSessions(deps, { broadcast, idleMs });
      const { ready } = watch;
      await ready.catch((error: unknown) => {
        if (watch?.ready === ready) stop();
        throw error;
      });
    },
    get size() {
      return watch?.size() ?? 0;
    },
  };
}

type Watch = { readonly ready: Promise<void>; size(): number; stop(): void };
/** `seen`: the newest event we know of. `emitted`: the newest that clients were told. */
type Position = { seen: number; emitted: number };
type EmitOptions = { readonly broadcast: (chunk: Buffer) => void; readonly idleMs: number };

function watchSessions(deps: HubDeps, { broadcast, idleMs }: EmitOptions): Watch {
  const { journal, logError } = deps;
  const positions = new Map<string, Position>();
  const early = new Map<string, number>(); // woken before the heads were known
  const damaged = new Map<string, number>(); // until when nobody tries to read them
  let state: "starting" | "running" | "stopped" = "starting";
  const follows = daemonFollows(deps, {
    idleMs,
    emitted(chunk, { sessionId, lastEventId }) {
      const position = positions.get(sessionId);
      if (position) position.emitted = lastEventId;
      broadcast(chunk);
    },
    lost: (sessionId) => tryAgain(positions.get(sessionId)),
  });
  const unwatch = journal.watch((wake) => {
    if (wake === "all") look();
    else if (state === "starting") early.set(wake.sessionId, wake.sessionSeq);
    else notice(wake.sessionId, wake.sessionSeq);
  });

  async function begin(): Promise<void> {
    for (const [sessionId, head] of await journal.reads.sessionHeads()) {
      positions.set(sessionId, { seen: head, emitted: head });
    }
    if (state === "stopped") return;
    state = "running";
    for (const [sessionId, seq] of early) notice(sessionId, seq);
  }

  function notice(sessionId: string, seq: number): void {
    const known = positions.get(sessionId);
    if (state !== "running" || seq <= (known?.seen ?? 0)) return;
    const position = known ?? { seen: 0, emitted: 0 }; // unknown: it was created meanwhile
    position.seen = seq;
    positions.set(sessionId, position);
    if (follows.keep(sessionId) || (damaged.get(sessionId) ?? 0) > performance.now()) return;
    follow(sessionId, position).catch((error: unknown) => {
      // The journal has said so, and nobody is served; to find that out again for each event is dear.
      if (error instanceof ApiError) return void damaged.set(sessionId, performance.now() + idleMs);
      logError(error);
      tryAgain(position);
    });
  }

  async function follow(sessionId: string, position: Position): Promise<void> {
    // What was deleted before anybody listened is in no list, and not told unless it comes back.
    const unheard = position.emitted === 0;
    if (unheard && (await journal.reads.sessionSummary(sessionId))?.deleted === true) return;
    if (state === "running" && !follows.keep(sessionId)) {
      await follows.begin(sessionId, position.emitted);
    }
  }

  const look = once(async () => {
    await ready;
    for (const [sessionId, head] of await journal.reads.sessionHeads()) notice(sessionId, head);
  }, logError);
  const ready = begin();
  const stop = () => {
    state = "stopped";
    unwatch();
    follows.stop();
  };
  return { ready, stop, size: () => follows.size };
}

/** As if nothing had been heard of it: the next wake-up, of whatever session, looks at it again. */
function tryAgain(position: Position | undefined): void {
  if (position) position.seen = position.emitted;
}

/** However many ask at a time, it runs once, and once more for those who came too late for that. */
function once(work: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let [running, again] = [false, false];
  return function start(): void {
    again = running;
    if (running) return;
    running = true;
    work()
      .catch(failed)
      .finally(() => {
        running = false;
        if (again) start();
      });
  };
}
