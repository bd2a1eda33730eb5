// A session as the daemon window emits it, made from drafts.
import type { DaemonEnvelope } from "../../../src/windows/daemon/wire/events.ts";
import { daemonDialect } from "../../../src/windows/daemon/wire/daemon.ts";
import { encode } from "../../../src/kernel/dialect/dialect.ts";
import * as d from "../drafts.ts";
import { sealAll, sessionCreated, type AnyDraft, type Entry } from "../events.ts";

export const on =
  (logId: string) =>
  (...drafts: AnyDraft[]): Entry[] =>
    drafts.map((draft) => ({ logId, draft }));
export const own = on("s1");
export const r1 = on("r1");
export const created = own(sessionCreated);
export const begun = [...created, ...r1(d.userMessage("go"), d.queued, d.started())];

export function emit(...entries: Entry[]) {
  const state = daemonDialect.begin();
  const frames = sealAll(entries).flatMap((event) =>
    encode(daemonDialect, event, state, { replay: false }),
  );
  return { frames, state };
}
/** The frames after the run has begun. */
export function after(...entries: Entry[]): DaemonEnvelope["event"][] {
  const { frames } = emit(...begun, ...entries);
  return frames.slice(2).map(({ event }) => event);
}
export const said = (event: DaemonEnvelope["event"] | undefined) => [event?.method, event?.params];

export const child = { subagent_id: "kid", child_run_id: "kid", call_id: "c1", title: "Scout" };
export const delegated = (payload = child, run = r1): Entry[] =>
  run(d.intent(payload.call_id), d.toolStarted(payload.call_id), {
    type: "subagent.started",
    payload: { ...payload, prompt: "look", depth: 1 },
  });
export const kid = on("kid");
export const step = { plan_id: "pl", step_id: "pl:step:1", index: 1, name: "Look" };
export const steps = [
  { step_id: "pl:step:1", index: 1, name: "Look", description: "around" },
  { step_id: "pl:step:2", index: 2, name: "Leap", description: "" },
];
export const planned: AnyDraft = {
  type: "plan.created",
  payload: { plan_id: "pl", goal: "g".repeat(300), steps },
};
export const stepStarted: AnyDraft = { type: "plan.step_started", payload: { ...step, total: 2 } };

/** A parameter of the last frame after the run has begun. */
export function lastParam(name: string, ...entries: Entry[]): unknown {
  const params: Record<string, unknown> = { ...after(...entries).at(-1)?.params };
  return params[name];
}
