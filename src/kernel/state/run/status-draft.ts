// A status change as a draft, with the controls a person has in it.
import type { Draft } from "../../events/events.ts";
import { controlsIn, type RunStatus } from "./status.ts";

export function statusDraft(status: RunStatus, reason: string | null = null): Draft {
  return { type: "status", payload: { status, reason, controls: controlsIn(status) } };
}
