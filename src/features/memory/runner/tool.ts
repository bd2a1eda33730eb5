// Keeps short notes across sessions, in files the user reads and edits too.
import { z } from "zod";
import { MEMORY_TARGETS, type MemoryStore } from "../home/memory.ts";
import { openAuditedMemory } from "../home/audited-memory.ts";
import { ProfileError } from "../../../kernel/home/profile/error.ts";
import type { Profile } from "../../../kernel/home/profile.ts";
import { defineTool, failure, type Tool, type ToolResult } from "../../../kernel/run/tools/tool.ts";

const MemoryInput = z.object({
  action: z.enum(["add", "replace", "remove", "list"]),
  target: z.enum(MEMORY_TARGETS).describe("memory: your own notes. user: about the user"),
  text: z.string().min(1).max(4_000).optional().describe("The entry, for add and replace"),
  old: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe("Part of the one entry to change or remove"),
});
type MemoryInput = z.infer<typeof MemoryInput>;

export function createMemoryTool(profile: Pick<Profile, "directory">): Tool {
  return defineTool({
    name: "memory",
    description:
      "Keep short notes for later sessions: facts that last, what the user prefers, what you learned. " +
      "Space is small; replace and remove what is outdated.",
    input: MemoryInput,
    risk: "none",
    replay: "safe", // each action first looks whether it has been done
    inOrder: true,
    label: ({ action, target, text, old }) =>
      [`Memory (${target}): ${action}`, text ?? old].filter(Boolean).join(" "),
    execute: async (input, { item, log }) => {
      const store = openAuditedMemory(profile, {
        notes: log.journal.homeFiles,
        by: `run ${log.state.runId}`,
      });
      try {
        if (item.attempt > 0 && (await isDone(store, input))) {
          return { ok: true, result: (await store.list(input.target)).usage };
        }
        return await ACTIONS[input.action](store, input);
      } catch (error) {
        if (error instanceof ProfileError) return failure(error.code, error.short);
        throw error;
      }
    },
  });
}

const ACTIONS: Record<
  MemoryInput["action"],
  (store: MemoryStore, input: MemoryInput) => Promise<ToolResult>
> = {
  add: async (store, { target, text }) =>
    text === undefined ? missing("text") : { ok: true, result: await store.add(target, text) },
  replace: async (store, { target, text, old }) => {
    if (text === undefined) return missing("text");
    if (old === undefined) return missing("old");
    return { ok: true, result: await store.replace(target, { old, text }) };
  },
  remove: async (store, { target, old }) =>
    old === undefined ? missing("old") : { ok: true, result: await store.remove(target, { old }) },
  list: async (store, { target }) => {
    const { entries, usage } = await store.list(target);
    return { ok: true, result: { ...usage, items: entries } };
  },
};

/** After a crash: whether the runner that died got as far as changing the file. */
async function isDone(store: MemoryStore, { action, target, text, old }: MemoryInput) {
  const { entries } = await store.list(target);
  if (action === "remove") return !entries.some((entry) => entry.includes(old?.trim() ?? ""));
  return action !== "list" && text !== undefined && store.has(target, text);
}

function missing(field: string): ToolResult {
  return failure("invalid_arguments", `This action needs “${field}”.`);
}
