// npm run bench [-- name …]: our figure, the floor on this machine in the same run, and the ratio.
import { benchAgent } from "./agent.ts";
import { benchAppends } from "./appends.ts";
import { benchLatency } from "./latency.ts";
import { benchPostgres } from "./postgres.ts";
import { benchReducer } from "./reducer.ts";
import { benchReplay } from "./replay.ts";
import { benchSearch, benchSessions } from "./search.ts";
import { benchStartup } from "./startup.ts";
import { print, type Line } from "./stats.ts";
import { benchWindows } from "./windows.ts";

const BENCHES: Record<string, () => Promise<Line[]> | Line[]> = {
  appends: benchAppends,
  latency: benchLatency,
  replay: benchReplay,
  reducer: benchReducer,
  startup: benchStartup,
  agent: benchAgent,
  windows: benchWindows,
  postgres: benchPostgres,
  search: benchSearch,
  sessions: benchSessions,
};

const wanted = process.argv.slice(2);
console.log(
  `${"".padEnd(48)} ${"ours".padStart(18)} ${"floor".padStart(18)} ${"ratio".padStart(8)}`,
);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length === 0 || wanted.includes(name)) print(await bench());
}
