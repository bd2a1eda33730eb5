// What a run was told, as the input items of its response: what was said before, and its message.
import { z } from "zod";
import type { RunState } from "../../../../kernel/state/run/state.ts";
import { get } from "../../../../kernel/state/vector.ts";
import { refuse } from "../openai/input.ts";

export const InputItemsQuery = z.looseObject({
  order: z.enum(["asc", "desc"]).default("desc"),
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, "1 to 100")
    .default("20"),
  after: z.string().max(300).optional(),
});
export type InputItemsQuery = z.infer<typeof InputItemsQuery>;

function textsOf(run: RunState): { role: "user" | "assistant"; text: string }[] {
  const first = get(run.items, 0);
  const message = first?.kind === "user" ? [{ role: "user" as const, text: first.text }] : [];
  return [...(run.history ?? []), ...message];
}

export function inputItems(run: RunState, { order, limit, after }: InputItemsQuery) {
  const all = textsOf(run).map(({ role, text }, index) => ({
    id: `msg_${run.runId}.in${index}`,
    type: "message",
    role,
    status: "completed",
    content: [{ type: role === "user" ? "input_text" : "output_text", text }],
  }));
  if (order === "desc") all.reverse();
  const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== undefined && at < 0) refuse("after", "There is no such item.");
  const data = all.slice(at + 1, at + 1 + Number(limit));
  return {
    object: "list",
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: at + 1 + data.length < all.length,
  };
}
