// One claimed run for its runner: the folded state, appends, and one signal that aborts everything when the run is
// cancelled, the claim is lost or the runner stops.
import type { Refusal } from "../../journal/append.ts";
import type { AppendOptions, Claim, Journal } from "../../journal/journal.ts";
import { catchUp } from "../../journal/read/load-run.ts";
import type { Draft } from "../../events/events.ts";
import { emptyRun, fromSnapshot, type RunState } from "../../state/run/state.ts";
import { localPath, onVolume, workspacePlace, type Volumes } from "../../events/workspace-place.ts";
import { AgentError } from "../permissions/policy.ts";
import { outputRooms, type OutputRoom } from "../tools/output-room.ts";

/** Another runner owns the run, or it has ended: write nothing, do nothing, let go. */
export class ClaimLost extends Error {
  override name = "ClaimLost";
}
/** A person asked to stop. */
export class Cancelled extends Error {
  override name = "Cancelled";
}
/** This runner is going down; another one continues. */
export class RunnerStopping extends Error {
  override name = "RunnerStopping";
}
/** The same, at a point where nothing is going on: what comes next is the other runner's. */
export class HandingOver extends RunnerStopping {
  override name = "HandingOver";
}

export type ProcessExit = {
  readonly process_id: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
};

function exitedDraft({ process_id, exit_code, signal }: ProcessExit): Draft {
  return { type: "process.exited", payload: { process_id, exit_code, signal } };
}

export type RunLogOptions = {
  /** Where this machine has the volumes that workspaces are on. */
  readonly volumes?: Volumes;
  /** Aborted when the runner should let go of its runs in order. */
  readonly drain?: AbortSignal;
  /** How much of what its commands print is kept. */
  readonly output?: (sessionId: string) => OutputRoom;
};

const HIGH_WATER = 262_144; // characters waiting for the disk before the model has to wait too
const CHECK_MS = 10;

export class RunLog implements Disposable {
  readonly claim: Claim;
  readonly journal: Journal;
  state: RunState;
  readonly #controller = new AbortController();
  readonly #unwatch: () => void;
  readonly volumes: Volumes;
  readonly outputRoom: OutputRoom;
  readonly #drain: AbortSignal | undefined;
  readonly #changed = new Set<() => void>();
  readonly #exits = new Map<string, Promise<void>>();
  #checking = false;
  #unsent = 0;
  #failure: unknown;
  #lastAppend: Promise<unknown> = Promise.resolve();

  private constructor(
    { journal, claim, state }: Pick<RunLog, "journal" | "claim" | "state">,
    outer: AbortSignal,
    { volumes = {}, drain, output = outputRooms() }: RunLogOptions,
  ) {
    if (outer.aborted) this.abort(outer.reason as Error);
    outer.addEventListener("abort", () => this.abort(outer.reason as Error), { once: true });
    this.journal = journal;
    this.claim = claim;
    this.state = state;
    this.volumes = volumes;
    this.outputRoom = output(state.sessionId);
    this.#drain = drain;
    drain?.addEventListener("abort", this.#emit);
    this.#unwatch = journal.watch((wake) => {
      if (wake === "all" || wake.logId === claim.runId) this.#wake();
    });
  }

  /** `outer` ends the work from outside: the claim ran out, or the runner stops. */
  static async open(
    journal: Journal,
    claim: Claim,
    outer: AbortSignal,
    options: RunLogOptions = {},
  ): Promise<RunLog> {
    const snapshot = await journal.reads.snapshot(claim.runId);
    const base = (snapshot && fromSnapshot(snapshot)) ?? emptyRun(claim.runId);
    const state = await catchUp(journal, base);
    const log = new RunLog({ journal, claim, state }, outer, options);
    log.#wake(); // a cancel may have been admitted before we listened
    return log;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The directory on this machine. What is journaled names the workspace as all machines do: `state.workspace`. */
  get workspace(): string {
    return this.toLocalPath(this.state.workspace);
  }

  /** The state as code that touches files wants it. */
  get localState(): RunState {
    return { ...this.state, workspace: this.workspace };
  }

  /** Where a workspace is on this machine. */
  toLocalPath(workspace: string): string {
    const path = localPath(workspace, this.volumes);
    if (path !== undefined) return path;
    const { volume } = workspacePlace(workspace);
    throw new AgentError(
      `This runner does not reach the workspace ${workspace}: volume ${volume}.`,
    );
  }

  /** A path of this machine as other machines know it. */
  toVolumePath(path: string): string {
    return onVolume(path, this.volumes);
  }

  get draining(): boolean {
    return this.#drain?.aborted === true;
  }

  /** Where a runner that drains lets go: before something begins that could as well begin elsewhere. */
  leaveIfDraining(): void {
    if (this.draining) throw new HandingOver();
  }

  /** For waits in which nothing goes on: over when the run is aborted or should be let go. */
  get idle(): AbortSignal {
    return this.#drain ? AbortSignal.any([this.signal, this.#drain]) : this.signal;
  }

  abort(reason: Error): void {
    if (!this.signal.aborted) this.#controller.abort(reason);
    this.#emit();
  }

  /** Durable when it returns, and folded into `state`. */
  async append(drafts: readonly Draft[]): Promise<void> {
    await this.flush();
    const result = await this.journal.append(this.claim, drafts);
    if (!result.ok) throw this.#refused(result.reason);
    await this.refresh();
  }

  /**
   * Background commands that ended. Several notice it (who watches them, who ends them, who asks); the first one's
   * word is appended, and it is durable for all of them when this returns.
   */
  async appendExits(exits: readonly ProcessExit[]): Promise<void> {
    const isRunning = (id: string) =>
      this.state.processes.some(
        ({ processId, status }) => processId === id && status === "running",
      );
    const first = exits.filter(({ process_id: id }) => isRunning(id) && !this.#exits.has(id));
    if (first.length > 0) {
      const appended = this.append(first.map(exitedDraft));
      for (const { process_id } of first) this.#exits.set(process_id, appended);
    }
    for (const { process_id } of exits) await this.#exits.get(process_id);
  }

  /** Appends only if nobody appended after `state`. False: look again, something was admitted. */
  async appendIfCurrent(drafts: readonly Draft[]): Promise<boolean> {
    await this.flush();
    return this.#appendUnless(drafts, { expectSeq: this.state.seq });
  }

  /** False: a person has changed meanwhile what these drafts are about. */
  async appendUnlessOutdated(drafts: readonly Draft[]): Promise<boolean> {
    await this.flush();
    return this.#appendUnless(drafts, {});
  }

  async #appendUnless(drafts: readonly Draft[], options: AppendOptions): Promise<boolean> {
    const result = await this.journal.append(this.claim, drafts, options);
    const later = !result.ok && (result.reason === "behind" || result.reason === "outdated");
    if (!result.ok && !later) throw this.#refused(result.reason);
    await this.refresh();
    return result.ok;
  }

  /** Hands over a delta without waiting for the disk, unless too much is waiting already (B4). */
  async stream(draft: Draft, size: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#unsent += size;
    const append = this.journal.append(this.claim, [draft]).then((result) => {
      this.#unsent -= size;
      if (!result.ok) throw this.#refused(result.reason);
    });
    this.#lastAppend = append.catch((error: unknown) => {
      this.#failure ??= error;
    });
    if (this.#unsent > HIGH_WATER) await this.flush();
  }

  /** Waits for everything streamed so far; throws what went wrong with it. */
  async flush(): Promise<void> {
    await this.#lastAppend;
    if (this.#failure) throw this.#failure;
  }

  async refresh(): Promise<RunState> {
    const { seq } = this.state;
    const now = await catchUp(this.journal, this.state);
    if (now.seq > this.state.seq) this.state = now; // several look at once: what one knows is not forgotten by another
    // Parallel calls share this state: whoever folds the news must tell the others.
    if (this.state.seq > seq) this.#emit();
    if (this.state.status === "cancelling") this.abort(new Cancelled());
    return this.state;
  }

  /** Settles when the log has grown or the run is aborted (then it throws the reason). */
  change(): Promise<void> {
    return this.#grown(() => this.signal.throwIfAborted());
  }

  /** The same, for a wait that another runner can go on with: one that drains leaves it to that. */
  nextChange(): Promise<void> {
    return this.#grown(() => {
      this.signal.throwIfAborted();
      this.leaveIfDraining();
    });
  }

  async #grown(check: () => void): Promise<void> {
    const seen = this.state.seq;
    while (this.state.seq === seen) {
      check();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#changed.add(resolve);
      this.#wake(); // what was admitted between the last fold and this line wakes nobody else
      await promise;
      this.#changed.delete(resolve);
      await this.refresh();
    }
    this.signal.throwIfAborted();
  }

  [Symbol.dispose](): void {
    this.#unwatch();
    this.#drain?.removeEventListener("abort", this.#emit);
  }

  // Wakes come with every commit, our own included: look at most every few milliseconds.
  #wake(): void {
    if (this.#checking) return;
    this.#checking = true;
    setTimeout(() => {
      this.#checking = false;
      this.#look().catch((error: unknown) => {
        this.#failure ??= error;
        this.abort(error instanceof Error ? error : new Error(String(error)));
      });
    }, CHECK_MS);
  }

  async #look(): Promise<void> {
    const run = await this.journal.reads.run(this.claim.runId);
    if (run?.fence !== this.claim.fence) this.abort(new ClaimLost("another runner owns the run"));
    else if (run.status === "cancelling") this.abort(new Cancelled());
    if (run && run.seq > this.state.seq) this.#emit();
  }

  readonly #emit = (): void => {
    for (const resolve of this.#changed) resolve();
  };

  #refused(reason: Refusal): Error {
    const error =
      reason === "cancelling"
        ? new Cancelled()
        : new ClaimLost(`the run is no longer ours: ${reason}`);
    this.abort(error);
    return error;
  }
}
