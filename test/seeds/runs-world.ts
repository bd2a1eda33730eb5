// One server and one runner of their own, so that both can be killed, and every run the rows look at.
import type { Row } from "./suite.ts";
import { newTestHome } from "../support/program.ts";
import { startServe, startWork } from "../support/processes.ts";
import { writeProfile } from "../support/profiles.ts";
import * as talking from "./runs-commands.ts";
import { kills, type Processes } from "./runs-kills.ts";
import * as requests from "./runs-requests.ts";
import * as scenes from "./runs-scenes.ts";

export type RunsWorld = Awaited<ReturnType<typeof openRuns>>;
export type RunsRow = Row<RunsWorld>;

const KEY = "mock-key-of-the-seed-suite"; // in the environment of both: no window may tell it

export async function openRuns() {
  await using opening = new AsyncDisposableStack(); // nothing is left behind when a scene fails
  const model = opening.use(await talking.scriptedModel());
  const place = opening.use(
    newTestHome({
      base_url: model.baseUrl,
      model: "demo/demo",
      titles: true,
    }),
  );
  const mcp = { broken: { transport: "stdio", command: "/no/such/program" } };
  writeProfile(place, "red", { prompt: "You are red.", settings: { mcp } });
  writeProfile(place, "blue", { prompt: "You are blue.", memory: "the sail is blue" });
  // The document's switch between backends, set to the one that would refuse: it must not matter.
  const env = { QUARTERDECK_API_KEY: KEY, HERMES_WEBUI_RUNTIME_ADAPTER: "runner-local" };
  const processes: Processes = {
    serve: await startServe(place, { env }),
    work: await startWork(place, { env }),
  };
  opening.defer(async () => {
    await processes.work[Symbol.asyncDispose]();
    await processes.serve[Symbol.asyncDispose]();
  });
  const server = processes.serve;
  const { workspace } = place;
  const [full, failed, stoppedTool, stoppedThought, line, sub, runner, secret] = await Promise.all([
    scenes.full(server),
    scenes.failed(server),
    scenes.stoppedTool(server, workspace),
    scenes.stoppedThought(server),
    scenes.line(server),
    scenes.subagent(server),
    scenes.runnerClient(server),
    scenes.secret(server, KEY),
  ]);
  const context = await requests.context(server, workspace);
  const goal = await requests.goal(server);
  const talk = await talking.talk(server, model);
  const profiles = await talking.profiles(server, model);
  const commands = await talking.commands(server, model);
  const killed = await kills(place, processes);
  const open = opening.move();
  return {
    place,
    key: KEY,
    full,
    failed,
    stoppedTool,
    stoppedThought,
    line,
    sub,
    runner,
    secret,
    context,
    goal,
    talk,
    profiles,
    commands,
    killed,
    get server() {
      return processes.serve;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
