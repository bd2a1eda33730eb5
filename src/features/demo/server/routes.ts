// Kills the runner of a demo run, so that anyone can watch the run continue.
import type { FastifyPluginAsync } from "fastify";
import { isAlive } from "../../../kernel/journal/liveness.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { demoApi } from "../api.ts";
import { noRun, requireFound } from "../../../kernel/server/routes/replies.ts";

export function demoRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return mount(demoApi, {
    killRunner: async ({ body: { run_id } }) => {
      const run = requireFound(await journal.reads.run(run_id), noRun(run_id));
      if (!run.model.startsWith("demo/")) {
        throw new ApiError("forbidden", "Only the runner of a demo run may be killed from here.");
      }
      const records = await journal.registry.processes();
      const runner = records.find(({ process_id }) => process_id === run.runner_id);
      // The pid is checked against its start time: it could be somebody else's by now.
      if (!runner || isAlive(runner) !== true) {
        throw new ApiError(
          "no_runner",
          "No runner of this machine is working on the run right now.",
        );
      }
      process.kill(runner.pid, "SIGKILL");
      return { killed_pid: runner.pid };
    },
  });
}
