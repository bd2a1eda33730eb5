// What a server can tell about itself. Until somebody asks for it the first time nothing is loaded or counted; from
// then on a request costs a microsecond more.
import { mount } from "../../../../kernel/server/mount.ts";
import { metricsApi } from "../../api.ts";
import type { AppDeps } from "../../../../kernel/server/app.ts";
import type { Room } from "../../../../kernel/server/room.ts";
import { inTime } from "../../../../kernel/server/routes/status.ts";
import { isSocket } from "../../../../kernel/server/feed/sockets.ts";
import { journalTeller } from "./journal-figures.ts";
import type { createMeters, Here } from "./meters.ts";

type Meters = ReturnType<typeof createMeters>;

const STREAM = /^text\/event-stream/;

export const metricsRoom: Room = ({ journal, streams, logError }) => {
  let meters: Meters | undefined;
  let loading: Promise<Meters> | undefined;
  let unwatch = () => {};
  const teller = journalTeller(journal, () => Date.now() / 1_000);

  async function load(): Promise<Meters> {
    const { createMeters: create } = await import("./meters.ts");
    const created = create();
    unwatch = journal.watchCommands((seconds) => created.commandSeconds.observe(seconds));
    return (meters = created);
  }
  async function emitted() {
    if (journal.storage().away) return undefined;
    try {
      return await inTime(journal, teller());
    } catch (error) {
      if (!journal.storage().away) logError(error);
      return undefined;
    }
  }

  const routes = mount(metricsApi, {
    getMetrics: async ({ reply }) => {
      const loaded = await (loading ??= load());
      loaded.set(hereIn(streams), await emitted());
      const { register } = loaded;
      return reply.type(register.contentType).send(await register.metrics());
    },
  });
  return {
    routes,
    end: async () => unwatch(),
    answered: async (request, reply) => {
      if (!meters) return;
      const { url: route = "none" } = request.routeOptions;
      meters.requests.inc({ method: request.method, route, status: reply.statusCode });
      const isStream = STREAM.test(String(reply.raw.getHeader("content-type") ?? ""));
      if (!isStream) meters.requestSeconds.observe(reply.elapsedTime / 1_000);
    },
  };
};

function hereIn({ open, tails }: AppDeps["streams"]): Here {
  const sockets = [...open].filter(isSocket).length;
  return { streams: open.size - sockets, sockets, followed: tails.size };
}
