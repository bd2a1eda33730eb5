// What a server can tell about itself. Until somebody asks for it the first time nothing is loaded or counted; from
// then on a request costs a microsecond more.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { Commands, Journal } from "../../journal/journal.ts";
import type { AppDeps } from "../app.ts";
import { inTime } from "../routes/status.ts";
import { isSocket } from "../feed/sockets.ts";
import { journalTeller } from "./journal-figures.ts";
import type { createMeters, Here } from "./meters.ts";

type Meters = ReturnType<typeof createMeters>;

const STREAM = /^text\/event-stream/;
/** Total: a command that is added is measured, too. */
const COMMANDS: Readonly<Record<keyof Commands, true>> = {
  startRun: true,
  takeChannelMessage: true,
  markReplied: true,
  cancelRun: true,
  stopActive: true,
  respondApproval: true,
  respondClarify: true,
  queueMessage: true,
  updateGoal: true,
  createSession: true,
  updateTitle: true,
  updateSession: true,
  editMessage: true,
  moveQueued: true,
  undo: true,
  retry: true,
  rerun: true,
  branch: true,
  compress: true,
  rollback: true,
  saveFile: true,
  runCommand: true,
  askProcess: true,
  createProject: true,
  updateProject: true,
  deleteProject: true,
  importSession: true,
};

export function createMetrics(deps: Pick<AppDeps, "journal" | "streams" | "logError">) {
  const { journal, streams, logError } = deps;
  let meters: Meters | undefined;
  let loading: Promise<Meters> | undefined;
  const teller = journalTeller(journal, () => Date.now() / 1_000);

  async function load(): Promise<Meters> {
    const { createMeters: create } = await import("./meters.ts");
    return (meters = create());
  }
  async function told() {
    if (journal.storage().away) return undefined;
    try {
      return await inTime(journal, teller());
    } catch (error) {
      if (!journal.storage().away) logError(error);
      return undefined;
    }
  }

  const routes: FastifyPluginAsync = async (app) => {
    app.get("/metrics", async (_request, reply) => {
      const loaded = await (loading ??= load());
      loaded.set(hereIn(streams), await told());
      const { register } = loaded;
      return reply.type(register.contentType).send(await register.metrics());
    });
  };
  return {
    routes,
    answered: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (!meters) return;
      const { url: route = "none" } = request.routeOptions;
      meters.requests.inc({ method: request.method, route, status: reply.statusCode });
      const isStream = STREAM.test(String(reply.raw.getHeader("content-type") ?? ""));
      if (!isStream) meters.requestSeconds.observe(reply.elapsedTime / 1_000);
    },
    /** The same journal, and how long its commands take. */
    measured(given: Journal): Journal {
      const names = Object.keys(COMMANDS) as (keyof Commands)[];
      const measuring = names.map((name) => [name, timed(given, name, () => meters)]);
      return Object.assign(Object.create(given) as Journal, Object.fromEntries(measuring));
    },
  };
}

type Command = (...args: unknown[]) => Promise<unknown>;

function timed(journal: Journal, name: keyof Commands, meters: () => Meters | undefined): Command {
  const command = journal[name] as Command;
  return async (...args) => {
    const began = performance.now();
    const outcome = await command.apply(journal, args);
    meters()?.commandSeconds.observe((performance.now() - began) / 1_000);
    return outcome;
  };
}

function hereIn({ open, tails }: AppDeps["streams"]): Here {
  const sockets = [...open].filter(isSocket).length;
  return { streams: open.size - sockets, sockets, followed: tails.size };
}
