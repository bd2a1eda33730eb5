// The demo: what is said to begin it, and how a newcomer's window begins it by itself. Its ids follow from the
// installation, so two windows or a reload begin one session and not two.
import type { StartRun } from "../../kernel/events/commands.ts";
import type { RunState } from "../../kernel/state/run/run-state.ts";
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

/** The tour, and not something else that was asked of the scripted model. */
export function isTour({ model, parentRunId }: RunState, prompt: string): boolean {
  return parentRunId === null && isDemoModel(model) && prompt === DEMO_MESSAGE;
}
