// The system prompt: who the agent is, where it works, what it remembers, and the instructions of person, project and
// session. Built for every turn from files and the journal.
import type { Journal } from "../../journal/journal.ts";
import type { RunState } from "../../state/run/state.ts";

const WHO =
  "You are an agent in Quarterdeck. Work in the user's workspace with the tools you have, say " +
  "briefly what you do, and ask when a decision is the user's to make. Prefer edit over write for " +
  "existing files, and prove your work by running it. A call that was denied stays denied: find " +
  "another way or ask.";

export type PromptParts = {
  readonly journal: Journal;
  /** Of the profile; null: the built-in one. */
  readonly prompt: string | null;
  /** What the profile remembers and can do, in the words of its files; empty ones are left out. */
  readonly notes: () => Promise<readonly string[]>;
};

export async function systemPrompt(
  state: RunState,
  { journal, prompt, notes }: PromptParts,
): Promise<string> {
  const session = await journal.reads.session(state.sessionId);
  const goal = session?.goal?.status === "active" ? `The standing goal: ${session.goal.text}` : "";
  const parts = [
    prompt ?? WHO,
    placeOf(state),
    ...(await notes()),
    projectOf(state),
    state.instructions ?? "",
    goal,
  ];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

/** The day the run was made, not now: a turn that is asked for again is told the same. */
function placeOf({ workspace, createdAt, depth }: RunState): string {
  const day = new Date(createdAt * 1000).toISOString().slice(0, 10);
  const child = depth > 0 ? " You are a subagent: your last words are your report." : "";
  return `The workspace is ${workspace}. Today is ${day}.${child}`;
}

function projectOf({ project }: RunState): string {
  if (!project) return "";
  const facts = Object.entries(project.metadata).map(
    ([name, value]) => `- ${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [`The project: ${project.name}`, ...facts, project.instructions ?? ""]
    .filter(Boolean)
    .join("\n");
}
