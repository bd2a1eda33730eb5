// The terminals this server holds. They live as long as it does and no longer; what they printed is kept
// by their hosts. Opening and closing one is told in one place, for the audit.
import { randomUUID } from "node:crypto";
import type {
  TerminalExitView,
  TerminalFrame,
  TerminalSize,
  TerminalsView,
  TerminalView,
} from "../records.ts";
import { ApiError, type ErrorCode } from "../../../kernel/events/errors.ts";
import { own } from "../../../kernel/events/own.ts";
import type { TerminalHost, TerminalHosts } from "./hosts.ts";

declare module "../../../kernel/server/app.ts" {
  interface AppDeps {
    /** Runs terminals in other processes; without it nobody does. */
    terminals?: TerminalHosts;
    /** Told when a person opened or closed a terminal. */
    noteTerminal?: NoteTerminal;
  }
}

export type CloseReason = Extract<TerminalFrame, { type: "closed" }>["reason"];
export type TerminalNote = Pick<
  TerminalView,
  "terminal_id" | "session_id" | "workspace" | "sandbox"
> & { readonly reason: CloseReason | null; readonly exit: TerminalExitView | null };
export type NoteTerminal = (what: "opened" | "closed", about: TerminalNote) => Promise<void>;

/** What a window shows of a terminal wants to know, beside its output. */
export type Watcher = {
  readonly emit: (frame: TerminalFrame) => void;
  readonly closed: () => void;
};
export type Terminal = {
  readonly id: string;
  readonly sessionId: string;
  readonly workspace: string;
  readonly sandbox: TerminalView["sandbox"];
  readonly createdAt: number;
  readonly host: TerminalHost;
  readonly watchers: Set<Watcher>;
  /** The last input taken of each window: one that is sent again after a lost connection is not repeated. */
  readonly taken: Map<string, number>;
  size: TerminalSize & { readonly by: string };
  exit: TerminalExitView | null;
  /** Characters on their way to the program. */
  unread: number;
  usedAt: number; // monotonic: when somebody last looked at it
};
export type Terminals = ReturnType<typeof openTerminals>;
export type TerminalsOptions = {
  readonly hosts: TerminalHosts;
  readonly note?: NoteTerminal | undefined;
  readonly logError: (error: unknown) => void;
  readonly now: () => number;
  readonly most?: number;
  readonly idleMs?: number;
};
type Asked = TerminalSize & { readonly sessionId: string; readonly workspace: string };

const MAX = 8;
const IDLE_MS = 12 * 3_600_000; // nobody looked at it
const LOOK_MS = 30_000;
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  not_found: "not_found",
  protected: "forbidden",
};

export function openTerminals(options: TerminalsOptions) {
  const { hosts, now, most = MAX } = options;
  const serverId = randomUUID();
  const shelf = terminalShelf(options);
  let opening = 0;

  async function open(asked: Asked): Promise<Terminal> {
    if (shelf.open.size + opening >= most) shelf.makeRoom(most);
    opening += 1;
    try {
      const sandbox = await hosts.sandbox();
      const made = await hosts.open(asked);
      if (!made.ok) throw refused(made);
      const terminal = terminalOf(asked, { host: made.host, sandbox, now: now() });
      await shelf.put(terminal);
      return terminal;
    } finally {
      opening -= 1;
    }
  }

  return {
    open,
    close: (id: string) => shelf.close(known(shelf.open, id), "person"),
    closeOf: async (sessionId: string) => {
      const closing = shelf.of(sessionId).map((terminal) => shelf.close(terminal, "person"));
      await Promise.all(closing);
    },
    find: (id: string) => shelf.open.get(id),
    sessions: (): ReadonlySet<string> =>
      new Set([...shelf.open.values()].map(({ sessionId }) => sessionId)),
    async list(sessionId: string): Promise<TerminalsView> {
      return {
        server_id: serverId,
        available: hosts.missing === null,
        why_not: hosts.missing,
        sandbox: await hosts.sandbox(),
        most,
        terminals: shelf.of(sessionId).map(viewOf),
      };
    },
    end: () => shelf.end(),
  };
}

function terminalShelf({ note, logError, idleMs = IDLE_MS }: TerminalsOptions) {
  const open = new Map<string, Terminal>();
  let over = false;

  async function close(terminal: Terminal, reason: CloseReason): Promise<void> {
    if (!open.delete(terminal.id)) return;
    // It is over, whatever the journal says.
    const noted = note?.("closed", noteOf(terminal, reason)).catch(logError);
    for (const watcher of terminal.watchers) {
      watcher.emit({ type: "closed", reason });
      watcher.closed();
    }
    await terminal.host[Symbol.asyncDispose]();
    await noted;
  }

  const look = () => {
    for (const terminal of open.values()) {
      const unused = performance.now() - terminal.usedAt;
      if (terminal.watchers.size === 0 && unused > idleMs) void close(terminal, "idle");
    }
  };
  const looking = setInterval(look, Math.min(LOOK_MS, idleMs)).unref();

  return {
    open,
    close,
    of: (sessionId: string) => [...open.values()].filter((one) => one.sessionId === sessionId),
    /** In the audit before anybody can type into it. */
    async put(terminal: Terminal): Promise<void> {
      try {
        await note?.("opened", noteOf(terminal, null));
        if (over) throw new ApiError("unavailable", "The server is ending.");
      } catch (error) {
        await terminal.host[Symbol.asyncDispose]();
        throw error;
      }
      open.set(terminal.id, terminal);
      void terminal.host.ended.then((exit) => ended(terminal, exit));
    },
    /** One that has ended and that nobody looks at makes room; otherwise a person has to choose. */
    makeRoom(most: number): void {
      const done = [...open.values()].find(({ exit, watchers }) => exit && watchers.size === 0);
      if (done) return void close(done, "idle");
      const message = `There are ${most} terminals already. Close one first.`;
      throw new ApiError("rate_limited", message, { most });
    },
    async end(): Promise<void> {
      over = true;
      clearInterval(looking);
      await Promise.all([...open.values()].map((terminal) => close(terminal, "server")));
    },
  };
}

function ended(terminal: Terminal, exit: Awaited<TerminalHost["ended"]>): void {
  const unseen = { exit_code: null, signal: null, limit: null };
  terminal.exit = { ...unseen, ...exit, lost: exit === undefined };
  terminal.usedAt = performance.now();
}

type Made = { readonly host: TerminalHost; readonly sandbox: Terminal["sandbox"]; now: number };

function terminalOf({ sessionId, workspace, cols, rows }: Asked, made: Made): Terminal {
  return {
    id: `term_${randomUUID()}`,
    sessionId,
    workspace,
    sandbox: made.sandbox,
    createdAt: made.now,
    host: made.host,
    watchers: new Set(),
    taken: new Map(),
    size: { cols, rows, by: "" },
    exit: null,
    unread: 0,
    usedAt: performance.now(),
  };
}

function known(open: ReadonlyMap<string, Terminal>, id: string): Terminal {
  const terminal = open.get(id);
  if (terminal) return terminal;
  throw new ApiError("not_found", "There is no such terminal; it may have ended with its server.");
}

function refused({ code, message }: { code: string; message: string }): ApiError {
  return new ApiError(own(REFUSALS, code) ?? "unavailable", message, { reason: code });
}

export function viewOf(terminal: Terminal): TerminalView {
  return {
    terminal_id: terminal.id,
    session_id: terminal.sessionId,
    workspace: terminal.workspace,
    shell: terminal.host.shell,
    sandbox: terminal.sandbox,
    created_at: terminal.createdAt,
    cols: terminal.size.cols,
    rows: terminal.size.rows,
    windows: terminal.watchers.size,
    exit: terminal.exit,
  };
}

function noteOf(terminal: Terminal, reason: CloseReason | null): TerminalNote {
  const { terminal_id, session_id, workspace, sandbox, exit } = viewOf(terminal);
  return { terminal_id, session_id, workspace, sandbox, reason, exit };
}
