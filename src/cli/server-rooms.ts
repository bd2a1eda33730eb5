// What features do in a server's process beside its requests. A feature that is deleted loses its line here.
import { insightsBeside } from "../features/insights/cli.ts";
import { messengersBeside } from "../features/messengers/cli/service.ts";
import { pushBeside } from "../features/push/cli/service.ts";
import type { BesideServer } from "./beside-runs.ts";

export const BESIDE_SERVER: readonly BesideServer[] = [
  pushBeside,
  insightsBeside,
  messengersBeside,
];
