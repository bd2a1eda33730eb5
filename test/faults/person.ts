// The person of a trial, who answers whatever is asked, again and again if the server is away.
import { setTimeout as delay } from "node:timers/promises";
import { call, type Server } from "../support/http.ts";

type Pending = { pending: { request_id: string; run_id: string; kind: string }[] };
const ANSWERS = { approval: "once", clarify: "yes", unknown_outcome: "skip" } as const;

/** Says yes to approvals and questions and skips what is unknown: never a second try. */
export async function answerEverything(server: () => Server, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const listed = await call<Pending>(server(), "GET", "/api/pending").catch(() => undefined);
    for (const { kind, request_id, run_id } of listed?.body.data?.pending ?? []) {
      const answer = ANSWERS[kind as keyof typeof ANSWERS];
      const path =
        kind === "approval"
          ? [`/api/runs/${run_id}/approvals/${request_id}`, { choice: answer }]
          : [`/api/runs/${run_id}/clarifications/${request_id}`, { response: answer }];
      await call(server(), "POST", path[0] as string, path[1]).catch(() => undefined);
    }
    await delay(20, undefined, { signal }).catch(() => undefined);
  }
}
