// Memory as agents have it: a tool to keep notes, and the notes in the prompt.
import type { AgentPart } from "../../../kernel/run/context/agent-part.ts";
import { memoryPrompt } from "../home/memory-prompt.ts";
import { openAuditedMemory } from "../home/audited-memory.ts";
import { createMemoryTool } from "./tool.ts";

export const memoryPart: AgentPart = {
  tool: createMemoryTool,
  prompt(profile, { journal, state }) {
    const about = { notes: journal.homeFiles, by: `run ${state.runId}` };
    return memoryPrompt(profile, openAuditedMemory(profile, about));
  },
};
