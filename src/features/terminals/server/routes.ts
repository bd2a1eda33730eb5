// Native API: a person's own terminals. Opening one is an act of the person who is logged in, in the
// session's workspace and in the sandbox of tools; what it prints is on a WebSocket.
import type { FastifyPluginAsync } from "fastify";
import { terminalsApi } from "../api.ts";
import { IMPORTED } from "../../../kernel/events/share-policy.ts";
import { onlyShown } from "../../../kernel/journal/admit/new-run.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import type { Room } from "../../../kernel/server/room.ts";
import { NO_TERMINALS } from "./hosts.ts";
import { terminalSockets } from "./sockets.ts";
import { openTerminals, viewOf, type Terminals } from "./terminals.ts";
import { onThisMachine } from "../../../kernel/server/workspace/workspace-reads.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { noSession, requireFound } from "../../../kernel/server/routes/replies.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { coalesced } from "../../../kernel/server/feed/coalesce.ts";

type Deps = Pick<AppDeps, "journal" | "volumes">;

export const terminalsRoom: Room = (deps) => {
  const { journal, terminals: hosts = NO_TERMINALS, noteTerminal: note, logError } = deps;
  const opened = openTerminals({ hosts, note, logError, now: () => Date.now() / 1_000 });
  const terminals = endingWithSessions(opened, journal, logError);
  return {
    routes: terminalRoutes(deps, terminals),
    prefix: "/api",
    sockets: terminalSockets(terminals, deps),
    end: () => terminals.end(),
  };
};

function terminalRoutes({ journal, volumes = {} }: Deps, terminals: Terminals): FastifyPluginAsync {
  return mount(terminalsApi, {
    listTerminals: async ({ params }) =>
      terminals.list((await requireSession(params.sessionId)).session_id),
    openTerminal: async ({ params, body: { cols, rows } }) => {
      const session = await sessionToUse(params.sessionId);
      const workspace = onThisMachine(session.workspace, volumes);
      const asked = { sessionId: session.session_id, workspace, cols, rows };
      return viewOf(await terminals.open(asked));
    },
    closeTerminal: async ({ params: { terminalId } }) => {
      await terminals.close(terminalId);
      return { terminal_id: terminalId, closed: true as const };
    },
  });

  /** As for a run: nothing is done in a recording, and whoever uses a deleted session wants it again. */
  async function sessionToUse(sessionId: string) {
    const session = await requireSession(sessionId);
    if (session.source === IMPORTED) throw onlyShown();
    const { session_id } = session;
    if ((await journal.reads.sessionSummary(session_id))?.deleted) {
      await journal.commands.updateSession(session_id, { deleted: false });
    }
    return session;
  }

  async function requireSession(sessionId: string) {
    return requireFound(await journal.reads.session(sessionId), noSession(sessionId));
  }
}

// Nothing may go on where nobody looks any more: terminals of a session that was deleted are closed, also when
// another server was told. They would be in no list, and take the place of others.
const LOOK_MS = 250; // "all" comes whenever another process has written something

/** The same terminals. They stop looking when they end. */
function endingWithSessions(
  terminals: Terminals,
  journal: Pick<Journal, "watch" | "reads">,
  logError: (error: unknown) => void,
): Terminals {
  const looking = coalesced(LOOK_MS, logError, async () => {
    for (const sessionId of terminals.sessions()) {
      if ((await journal.reads.sessionSummary(sessionId))?.deleted)
        await terminals.closeOf(sessionId);
    }
  });
  const unwatch = journal.watch((wake) => {
    if (wake === "all" || terminals.sessions().has(wake.logId)) looking.soon();
  });
  return {
    ...terminals,
    async open(asked) {
      const terminal = await terminals.open(asked);
      looking.soon(); // it may have been deleted meanwhile
      return terminal;
    },
    async end() {
      unwatch();
      looking.stop();
      await terminals.end();
    },
  };
}
