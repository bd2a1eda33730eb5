// What the scripted model does in the web console's world: everything the document has a name for, once.
import { messagesIn, type AgentStep, type Script } from "../../support/models/scripted-agent.ts";

/** Of the environment; whoever prints or types it, nobody is told. */
export const SECRET = "sk-mock-7f3a91c04be2d85f";
export const MODEL = "acme/gpt-5.4";

/** The document's own examples. */
export const SEND = {
  session_id: "sess_123",
  conversation: "browser-chat",
  message: "Inspect the API server and summarize its routes.",
  instructions: "Be concise.",
  attachments: [],
  model: "hermes-agent",
};
export const TODO = [{ id: "inspect", content: "Inspect Hermes repo", status: "completed" }];
export const CHOICES = [
  "A local desktop app",
  "A web app you can open in a browser",
  "A terminal UI (TUI)",
  "Something minimal: just a chat window",
];
export const CLARIFY = { question: "What kind of GUI do you want?", choices: CHOICES };
export const SUBAGENT = {
  title: "Inspect gateway features",
  prompt: "Look at the gateway.",
};
export const FOUND = "Found pairing, status, and gateway config surfaces.";
export const ANSWER = "Done — I gave Hermes a browser GUI.";

export const COMMANDS = {
  approved: `echo "the key is ${SECRET}"`,
  denied: "rm -rf notes.txt",
  background: "echo one; echo two; sleep 300",
} as const;

const exec = (command: string, more = {}) => ({ name: "exec", args: { command, ...more } });

const NESTED = { title: "Ask", prompt: "Run it yourself." };
const delegate = { name: "delegate", args: NESTED };

const INSPECT: readonly AgentStep[] = [
  {
    say: "The API server currently exposes ",
    calls: [{ name: "search_files", args: { pattern: "api_server" } }],
  },
  { calls: [{ name: "todo", args: { items: TODO } }] },
  { calls: [{ name: "delegate", args: SUBAGENT }] },
  {
    calls: [
      { name: "write", args: { path: "notes.txt", content: "Routes.\n" } },
      { name: "read", args: { path: "missing.txt" } },
    ],
  },
  { calls: [exec(COMMANDS.approved)] },
  { calls: [exec(COMMANDS.denied)] },
  { calls: [exec(COMMANDS.background, { background: true })] },
  { calls: [{ name: "clarify", args: CLARIFY }] },
  { say: ANSWER },
];

/** `never` settles when the world is over. */
export function scriptOf(never: Promise<unknown>): Script {
  return (request) => {
    const asked = messagesIn(request).findLast(({ role }) => role === "user");
    const text = JSON.stringify(asked?.content ?? "");
    if (text.includes(SEND.message)) return INSPECT;
    if (text.includes(SUBAGENT.prompt)) return [{ say: FOUND }];
    if (text.includes("Let it ask.")) return [{ calls: [delegate] }, { say: "It asked." }];
    if (text.includes(NESTED.prompt)) return [{ calls: [exec("echo below")] }, { say: "Done." }];
    if (text.includes("Wait here.")) return [{ say: "Waited.", after: () => never }];
    return [{ say: "Said." }];
  };
}
