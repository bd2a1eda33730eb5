// The endpoint of the demo.
import { NO_RUN, post } from "../../kernel/api/endpoint.ts";
import { KilledView, KillRunner } from "../../kernel/api/records/records.ts";

export const demoApi = {
  killRunner: post("/api/demo/kill-runner", {
    tag: "demo",
    summary: "Kill the runner of a demo run, to watch it go on.",
    response: KilledView,
    body: KillRunner,
    errors: [...NO_RUN, "no_runner"],
  }),
};
