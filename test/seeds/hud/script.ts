// What the model does in the sessions that the rows of the HUD and of the execution events look at.
import type { RecordedRequest } from "../../support/models/model-server.ts";
import { messagesIn, type AgentStep } from "../../support/models/scripted-agent.ts";

const exec = (command: string, more: object = {}) => ({ name: "exec", args: { command, ...more } });
const write = (path: string, content: string) => ({ name: "write", args: { path, content } });
const LONG = "0123456789abcde\n".repeat(2_500);

/** What the model does when it is asked for this. */
const STEPS: Readonly<Record<string, readonly AgentStep[]>> = {
  "Do the work.": [
    { say: "I begin.", calls: [write("a.txt", "one\ntwo\nthree\n")] },
    { calls: [{ name: "edit", args: { path: "a.txt", old_text: "two", new_text: "2\n2b" } }] },
    { calls: [{ name: "append", args: { path: "a.txt", content: "four\nfive\n" } }] },
    { calls: [{ name: "read", args: { path: "a.txt", offset: 2, limit: 3 } }] },
    { calls: [write("b1.txt", "x\n"), write("b2.txt", "y\n")] },
    { calls: [exec("cat a.txt ./sub/x.ts ./gone.txt; exit 3")] },
    { calls: [exec("head -c 40000 long.txt"), write("long.txt", LONG)] },
    { calls: [exec("head -c 40000 long.txt")] },
    { calls: [exec("sleep 300", { background: true })] },
    {
      calls: [
        { name: "read", args: { path: "a.txt", offset: "x" } },
        { name: "nosuch_tool", args: { deep: { n: 1 } } },
      ],
    },
    { calls: [{ name: "session_search", args: { words: "harbour" } }] },
    { say: "All is done." },
  ],
  "Ask me.": [{ say: "May I?", calls: [exec("echo one"), exec("echo two")] }, { say: "Thanks." }],
  "Go on for ever.": [{ calls: [exec("sleep 300")] }],
  "Go on here.": [
    { calls: Array.from({ length: 30 }, () => ({ name: "read", args: { path: "a.txt" } })) },
    { calls: [exec("sleep 300")] },
  ],
};

const said = (request: RecordedRequest) =>
  JSON.stringify(messagesIn(request).findLast(({ role }) => role === "user")?.content ?? "");
export const stepsFor = (request: RecordedRequest): readonly AgentStep[] =>
  Object.entries(STEPS).find(([words]) => said(request).includes(words))?.[1] ?? [];
