// What a run asks for while it is followed from a shell: answered at a terminal, left parked for
// another window otherwise. Nothing is ever allowed because nobody was there to say no.
import { createInterface } from "node:readline/promises";
import type { Journal } from "../journal/journal.ts";
import type { RequestRecord } from "../protocol/api-records.ts";
import { visibleText } from "../protocol/visible-text.ts";

/** False when something waits for a person and there is none here. */
export async function answerPending(journal: Journal, runId: string): Promise<boolean> {
  const [request] = await journal.pending({ runId });
  if (!request) return true;
  if (!process.stdin.isTTY) {
    process.stderr.write(
      `\n${request.title} ${visibleText(request.prompt)}\n` +
        "The run waits for an answer: open it in the browser, or run this at a terminal.\n",
    );
    return false;
  }
  await ask(journal, request);
  return true;
}

async function ask(journal: Journal, request: RequestRecord): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const choices = request.choices.length > 0 ? ` [${request.choices.join(", ")}]` : "";
  const question = `\n${request.title}\n  ${visibleText(request.prompt)}\n${choices}> `;
  const answer = (await terminal.question(question)).trim();
  terminal.close();
  const { run_id: runId, request_id: id } = request;
  if (request.kind === "approval") {
    const choice = request.choices.find((known) => known === answer) ?? "deny";
    const command = { choice: choice as "once", by: "terminal" };
    await journal.respondApproval({ runId, approvalId: id }, command);
  } else if (answer !== "" && (request.kind === "clarify" || request.choices.includes(answer))) {
    await journal.respondClarify({ runId, clarifyId: id }, { response: answer, by: "terminal" });
  }
}
