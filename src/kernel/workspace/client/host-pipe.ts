// The runner's end of a program that runs in a tool host (an MCP server). Output before the first listener is kept
// for it.
import type { ProcessExit } from "../host/frames.ts";

export type HostPipeExit = ProcessExit & {
  /** The tool host died, and the program with it. */
  readonly lost: boolean;
};
export type HostPipe = {
  write(data: string | Buffer): void;
  onData(listener: (chunk: Buffer) => void): void;
  /** Called once; at once if the program has ended already. */
  onExit(listener: (exit: HostPipeExit) => void): void;
  /** TERM, then KILL. Settles when nothing of the program is left. */
  kill(): Promise<void>;
};

export class PipeEnd implements HostPipe {
  readonly #send: (data: Buffer) => void;
  readonly #kill: () => Promise<void>;
  readonly #data = new Set<(chunk: Buffer) => void>();
  readonly #exits = new Set<(exit: HostPipeExit) => void>();
  #early: Buffer[] = [];
  #exit: HostPipeExit | undefined;

  constructor({ send, kill }: { send: (data: Buffer) => void; kill: () => Promise<void> }) {
    this.#send = send;
    this.#kill = kill;
  }

  write(data: string | Buffer): void {
    if (!this.#exit) this.#send(Buffer.from(data));
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#data.add(listener);
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) listener(chunk);
  }

  onExit(listener: (exit: HostPipeExit) => void): void {
    if (this.#exit) listener(this.#exit);
    else this.#exits.add(listener);
  }

  async kill(): Promise<void> {
    if (!this.#exit) await this.#kill();
  }

  take(chunk: Buffer): void {
    if (this.#data.size === 0) this.#early.push(chunk);
    for (const listener of this.#data) listener(chunk);
  }

  ended(exit: HostPipeExit): void {
    if (this.#exit) return;
    this.#exit = exit;
    for (const listener of this.#exits) listener(exit);
  }
}
