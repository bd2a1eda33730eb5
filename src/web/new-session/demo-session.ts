// The demo: its prompt, and how it starts by itself on a first visit. Its ids follow from the installation, so
// two windows start one session.
import type { StartRun } from "../../kernel/events/commands.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { isDemoModel } from "../session/active-run.ts";

export const DEMO_MESSAGE = "Show me what Quarterdeck does";
export const DEMO_MODEL = "demo/tour";
const WELCOMED = "yes"; // whatever the installation

export function firstRunOf(epoch: string, usualModelIsDemo: boolean) {
  return {
    message_id: `msg_demo_${epoch}`,
    session_id: `ses_demo_${epoch}`,
    message: DEMO_MESSAGE,
    source: "web",
    ...(!usualModelIsDemo && { model: DEMO_MODEL }),
  } satisfies StartRun;
}

/** `noted`: the epoch of the installation whose first run this browser has seen. */
export function isWelcomed(noted: string | null, epoch: string | undefined): boolean {
  return noted === WELCOMED || (noted !== null && noted === epoch);
}

/** The tour, and not another prompt to the scripted model. */
export function isTour({ model, parentRunId }: RunState, prompt: string): boolean {
  return parentRunId === null && isDemoModel(model) && prompt === DEMO_MESSAGE;
}
