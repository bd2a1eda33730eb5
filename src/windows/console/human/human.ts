// Requests that wait for a person, and the answers. Every window uses the same commands: the first answer wins, and a
// late one learns who was first.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { ApprovalChoice } from "../../../kernel/events/catalogue/human.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { ConsoleApprove, ConsoleClarify, ConsoleDeny, ConsoleYolo } from "../wire/bodies.ts";
import { approvalScope, chosenFrom } from "../wire/requests.ts";
import { cancelWord } from "../../../kernel/dialect/deny-word.ts";
import { SessionId } from "../../../kernel/events/ids.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { defaultsFor } from "../../../kernel/server/defaults.ts";
import { both, ConsoleError, keyOf, take, type Keys } from "../envelopes.ts";
import { findRequest, listPending, type Found } from "./requests.ts";

const BY = "console";
const Asking = z.object({ session_id: SessionId.optional() });
const OfSession = z.object({ session_id: SessionId });

export function humanPages(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/human/pending", async ({ query }) => {
      const { session_id } = take(Asking, query);
      return both({ pending: await listPending(journal, session_id) });
    });

    app.post("/human/approve", async (request) => {
      const asked = take(ConsoleApprove, request.body);
      const word = asked.scope ?? asked.decision ?? "once";
      const choice = approvalScope(word);
      if (choice === undefined) {
        const message = "Choose once, session or always; to refuse, use /human/deny.";
        throw new ConsoleError("invalid_decision", message, { request_id: asked.request_id });
      }
      return decide(journal, request, { ...asked, choice });
    });

    app.post("/human/deny", (request) => deny(journal, request));

    app.post("/human/clarify", (request) => clarify(journal, request));

    app.get("/human/yolo", async ({ query }) => {
      const { session_id } = take(OfSession, query);
      return both({
        session_id,
        enabled: (await journal.reads.session(session_id))?.yolo ?? false,
      });
    });

    app.post("/human/yolo", ({ body }) => setYolo(deps, body));
  };
}

type Decision = Keys & {
  readonly request_id: string;
  readonly choice: ApprovalChoice;
  readonly feedback?: string | null | undefined;
};

/** Also of what is no approval: the real client's "Cancel" of a question comes here. */
async function deny(journal: Journal, request: FastifyRequest) {
  const asked = take(ConsoleDeny, request.body);
  const found = await find(journal, asked.request_id);
  const { request_kind, choices } = found.request;
  if (request_kind === "approval") {
    return decide(journal, request, { ...asked, choice: "deny" });
  }
  const no = cancelWord(request_kind, choices);
  const said = request_kind === "clarify" ? asked.response || asked.feedback : null;
  return answer(journal, request, found, { ...asked, response: said || no });
}

async function decide(journal: Journal, request: FastifyRequest, decision: Decision) {
  const { request_id, choice, feedback } = decision;
  const found = await want(journal, request_id, "approval");
  if (
    !found.answered &&
    !found.request.choices.some((each) => approvalScopeOrNo(each) === choice)
  ) {
    const choices = [...found.request.choices];
    const message = `Choose one of: ${choices.join(", ")}.`;
    throw new ConsoleError("invalid_decision", message, { request_id, choices });
  }
  const key = keyOf(decision, request);
  const outcome = await journal.commands.respondApproval(
    { runId: found.runId, approvalId: request_id },
    {
      choice,
      by: BY,
      ...(feedback && { feedback }),
      ...(key !== undefined && { command_id: key }),
    },
  );
  const status = choice === "deny" ? "denied" : "approved";
  return settled(journal, found, outcome, { status, response: choice });
}

function approvalScopeOrNo(choice: string): ApprovalChoice | undefined {
  return choice === "deny" ? "deny" : approvalScope(choice);
}

async function clarify(journal: Journal, request: FastifyRequest) {
  const asked = take(ConsoleClarify, request.body);
  const found = await want(journal, asked.request_id, "clarify");
  return answer(journal, request, found, {
    ...asked,
    response: asked.response ?? asked.answer ?? "",
  });
}

async function answer(
  journal: Journal,
  request: FastifyRequest,
  found: Found,
  asked: Keys & { readonly response: string },
) {
  const { request_id, request_kind, choices } = found.request;
  const response = chosenFrom(choices, asked.response);
  if (request_kind === "unknown_outcome" && !choices.includes(response)) {
    const message = `Choose one of: ${choices.join(", ")}.`;
    throw new ConsoleError("invalid_response", message, { request_id, choices: [...choices] });
  }
  const key = keyOf(asked, request);
  const outcome = await journal.commands.respondClarify(
    { runId: found.runId, clarifyId: request_id },
    { response, by: BY, ...(key !== undefined && { command_id: key }) },
  );
  return settled(journal, found, outcome, { status: "answered", response });
}

async function find(journal: Journal, request_id: string): Promise<Found> {
  const found = await findRequest(journal, request_id);
  if (found) return found;
  const message = `There is no request ${request_id}.`;
  throw new ConsoleError("request_not_found", message, { request_id });
}

async function want(
  journal: Journal,
  request_id: string,
  kind: "approval" | "clarify",
): Promise<Found> {
  const found = await find(journal, request_id);
  if (found.request.kind === kind) return found;
  const where = kind === "approval" ? "/human/clarify" : "/human/approve or /human/deny";
  const message = `This request is answered at ${where}.`;
  throw new ConsoleError("invalid_request_kind", message, { request_id, kind: found.request.kind });
}

type Given = { readonly status: string; readonly response: string };

async function settled(journal: Journal, found: Found, outcome: Outcome | undefined, given: Given) {
  const { request_id } = found.request;
  if (outcome?.accepted) {
    const request = { ...found.request, ...given };
    return both({ request, request_id, ...given, duplicate: outcome.status === "duplicate" });
  }
  // It may have been answered between looking and answering: look again.
  const now = await findRequest(journal, request_id);
  throw late(request_id, now?.answered, outcome?.safe_message ?? "The run waits for nothing.");
}

function late(request_id: string, answered: Found["answered"], message: string): ConsoleError {
  if (!answered) return new ConsoleError("run_not_active", message, { request_id });
  const { type, payload, created_at } = answered;
  const answer = type === "approval.resolved" ? payload.choice : payload.response;
  const { status, by } = payload;
  const details = { request_id, status, answer, answered_by: by, answered_at: created_at };
  if (answer === null) return new ConsoleError("request_expired", message, details);
  const first = `Already answered by ${by}: ${answer}.`.slice(0, 500);
  return new ConsoleError("already_answered", first, details);
}

/** Also before the first message: the console's client names a session before there is one. */
async function setYolo(deps: AppDeps, body: unknown) {
  const { journal } = deps;
  const { session_id, enabled } = take(ConsoleYolo, body);
  if (!(await journal.reads.session(session_id))) {
    const defaults = await defaultsFor(deps, undefined);
    await journal.commands.createSession({ session_id, source: BY }, defaults);
  }
  await journal.commands.updateSession(session_id, { yolo: enabled });
  return both({ session_id, enabled: (await journal.reads.session(session_id))?.yolo ?? false });
}
