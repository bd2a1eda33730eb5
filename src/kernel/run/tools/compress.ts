// The person's wish to compress the conversation, as a call like any other: journaled, cancellable,
// and asked for again after a crash.
import { z } from "zod";
import { compress } from "../context/compaction.ts";
import type { Model } from "../models/model.ts";
import { defineTool, textOutput, type Tool } from "./tool.ts";

export function createCompressTool(model: (name: string) => Model): Tool {
  return defineTool({
    name: "compress",
    description: "Summarise the conversation so far.",
    input: z.object({ focus: z.string().max(2_000).optional() }),
    risk: "none",
    replay: "safe",
    internal: true,
    label: () => "Compress the conversation",
    execute: async ({ focus }, { log }) => {
      const request = { reason: "asked", ...(focus !== undefined && { focus }) } as const;
      // A crash after the summary was written and before this call's result was: it is not asked for twice.
      const done = log.state.compacting ? null : log.state.compaction;
      const summary = done?.summary ?? (await compress(log, model(log.state.model), request));
      return { ok: true, result: { characters: summary.length }, output: textOutput(summary) };
    },
  });
}
