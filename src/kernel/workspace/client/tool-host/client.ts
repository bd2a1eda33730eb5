// The runner's side of a tool host: starts it when first needed, and again after it died. A call whose host died is
// answered host_died and never retried: whether it took effect is unknown (X3).
import { randomUUID } from "node:crypto";
import type { HostPipe } from "../host-pipe.ts";
import { Connection, PipeRefused, refusal } from "./connection.ts";
import type { ProcessExit } from "../../host/frames.ts";
import type { HostRole, ToolName } from "../../host/tools.ts";
import type { FixedFiles } from "../../sandbox/sandbox-layout.ts";
import { spawnHost, type SandboxChoice } from "../../host/spawn-host.ts";
import { ToolError, toToolError } from "../../host/tool-error.ts";
import type { Limits } from "../../host/watchdog.ts";

export type { HostPipe, HostPipeExit } from "../host-pipe.ts";
export { PipeRefused } from "./connection.ts";

export type ToolOutput = { stream: "stdout" | "stderr"; data: Buffer };
export type ToolHostResult =
  | { ok: true; result: Record<string, unknown> }
  | { ok: false; error: { code: string; message: string } };
export type Refusal = Extract<ToolHostResult, { ok: false }>;
export type ToolCallRequest = {
  tool: ToolName;
  input: unknown;
  marker: string;
  /** On the clock of process.hrtime.bigint(); the host begins nothing after it. */
  notAfter: bigint;
  /** A promise holds back all further output until it settles. A failure aborts the call, which then rejects with it. */
  onOutput?: (output: ToolOutput) => void | Promise<void>;
  signal: AbortSignal;
};
/** A program without a shell. `env` is added to the allow-list and never on a command line. */
export type OpenRequest = {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Inside the workspace; the workspace itself when absent. */
  cwd?: string;
  marker: string;
  /** As for a call; ten seconds from now when absent. */
  notAfter?: bigint;
  /** Aborts the start; the program itself is ended by `kill`. */
  signal?: AbortSignal;
};
export type HostProcessExit = ProcessExit & { processId: string; marker: string };
export type HostProcessOutput = {
  readonly processId: string;
  readonly marker: string;
  readonly offset: number;
  readonly total: number;
  readonly data: Buffer;
};
/** What a host says of its background processes without being asked. */
export type HostEvents = {
  /** One ended. It is told once; a host that died tells nobody. */
  onProcessExit?: (exit: HostProcessExit) => void;
  /** One printed something. A promise holds back everything else of the host until it settles. */
  onProcessOutput?: (output: HostProcessOutput) => void | Promise<void>;
};
export interface ToolHost extends AsyncDisposable {
  call(request: ToolCallRequest): Promise<ToolHostResult>;
  /** Rejects with PipeRefused when the program was not started. */
  open(request: OpenRequest): Promise<HostPipe>;
  /** Ends its process, with everything in it, until the next call starts another. */
  rest(): Promise<void>;
  /** Of the process the runner started: of the sandbox around the host where there is one. */
  readonly pid: number | undefined;
  /** Absolute paths that the commands of the running host can read and not change. */
  readonly fixed: readonly string[];
}
export type ToolHostOptions = HostEvents & {
  workspace: string;
  /** Directories no tool may touch: the journal's home. */
  protect: readonly string[];
  sandbox?: SandboxChoice;
  network?: boolean;
  limits?: Limits;
  /** Beside the system's: directories commands may read, such as toolchains in a person's home. */
  readable?: readonly string[];
  /** What it is for; everything when absent. */
  role?: HostRole;
  /** Where package managers of its commands keep what they fetched. */
  cache?: string;
  /** In a sandbox: HOME lies in the cache too, and survives. */
  keepsHome?: boolean;
  /** In a sandbox: absolute paths that are not there. */
  hidden?: readonly string[];
  /** Asked before each start: what commands in a sandbox may read and not change. */
  fixed?: () => Promise<FixedFiles | undefined>;
  /** Not a workspace but a place that a person named for once. */
  outside?: boolean;
  /** A background process ended. It is told once; a host that died tells nobody. */
  onProcessExit?: (exit: HostProcessExit) => void;
};

/** There is no host because of where it should work: no workspace there, or the journal's own place. */
const ABOUT_PLACE = new Set(["protected", "not_found"]);

export function startToolHost(options: ToolHostOptions): ToolHost {
  return new RestartingToolHost(options);
}

class RestartingToolHost implements ToolHost {
  readonly #options: ToolHostOptions;
  #connecting: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #fixed: readonly string[] = [];
  #disposed = false;

  constructor(options: ToolHostOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  get fixed(): readonly string[] {
    return this.#fixed;
  }

  async call(request: ToolCallRequest): Promise<ToolHostResult> {
    const connection = await this.#connected(request.signal);
    return connection instanceof Connection ? connection.call(request) : connection;
  }

  async open(request: OpenRequest): Promise<HostPipe> {
    const connection = await this.#connected(request.signal);
    if (connection instanceof Connection) return connection.open(request);
    const { code, message } = connection.error;
    throw new PipeRefused(code, message);
  }

  async rest(): Promise<void> {
    const connection = await this.#connecting?.catch(() => undefined);
    await connection?.close();
  }

  async #connected(signal?: AbortSignal): Promise<Connection | Refusal> {
    for (;;) {
      if (this.#disposed) return refusal("spawn_failed", "The tool host was closed");
      if (signal?.aborted) return refusal("aborted", "Aborted before it began");
      let connection: Connection;
      try {
        connection = await (this.#connecting ??= this.#connect());
      } catch (error) {
        const { code, message } = toToolError(error);
        const isAboutPlace = error instanceof ToolError && ABOUT_PLACE.has(code);
        return refusal(isAboutPlace ? code : "spawn_failed", message);
      }
      if (!connection.isOpen) await connection.ended;
      else if (!signal?.aborted) return connection;
    }
  }

  async #connect(): Promise<Connection> {
    const onEnd = () => {
      this.#connecting = undefined;
      this.#connection = undefined;
    };
    const mark = randomUUID();
    try {
      const fixed = await this.#options.fixed?.();
      const child = await spawnHost({ ...this.#options, fixed, mark });
      this.#fixed = fixed?.paths ?? [];
      this.#connection = new Connection({ child, mark, onEnd, news: this.#options });
      return this.#connection;
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.rest();
  }
}
