// A person's command that needs a tool host or a model is a run like any other. Its one tool call is already decided,
// so it is appended here, and no model is asked for it.
import type { Plan } from "../../events/catalogue/tools.ts";
import type { Draft } from "../../events/events.ts";
import { insertRun } from "./new-run.ts";
import { newId, type SessionRow } from "./new-session.ts";
import { planHash } from "./plan-hash.ts";
import type { Tx } from "../transaction.ts";

export type DirectRun = {
  readonly session: SessionRow;
  readonly tool: "rollback" | "compress" | "save" | "exec";
  readonly arguments: Plan["arguments"];
  readonly words: string; // what the person asked for, as the transcript shows it
  readonly label: string;
  readonly workspace?: string; // the session's when left out
  readonly effect: boolean; // whether running it twice could matter
};

export async function insertDirect(
  tx: Tx,
  { session, tool, words, label, effect, workspace = session.workspace, ...given }: DirectRun,
): Promise<{ runId: string; event_id: string }> {
  const runId = newId("run");
  const plan = { tool, arguments: given.arguments, workspace };
  const intent: Draft = {
    type: "tool.intent",
    payload: {
      call_id: "direct.c0",
      turn_id: "direct",
      index: 0,
      provider_call_id: "",
      name: tool,
      label,
      risk: tool === "exec" ? "execute" : effect ? "write" : "none",
      replay: effect ? "ask" : "safe",
      plan,
      plan_hash: planHash(plan),
    },
  };
  const event_id = await insertRun(tx, {
    runId,
    session,
    messageId: newId("msg"),
    mode: "start",
    command: { message: words, source: "direct", workspace },
    parent: null,
    budget: null,
    more: [intent],
  });
  return { runId, event_id };
}
