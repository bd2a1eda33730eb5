// What a client that knows only a protocol's frames believes: answers, text on the way, and pending requests. Minimal
// clients; the real ones are in test/e2e.
import {
  applyHudFrame,
  emptyHud,
  pendingRequests,
  type HudState,
} from "../../../src/windows/hud/state/hud-state.ts";
import type { Emitted } from "../recordings/emitted.ts";

type Fields = Readonly<Record<string, unknown>>;

export type Believed = {
  /** Pending requests, with the other ids that would end them. */
  readonly pending: Map<string, { readonly run: string; readonly call: string }>;
  /** The final answer of each run that was completed. */
  readonly answers: Map<string, string>;
  words: string;
  newest: string; // words since the step began
  folded?: unknown; // for protocols that have a reducer
};
export type Client = (believed: Believed, emitted: Emitted) => void;

export function nothingBelieved(): Believed {
  return { pending: new Map(), answers: new Map(), words: "", newest: "" };
}

const of = (value: unknown) => (value ?? {}) as Fields;
const text = (value: unknown) => (typeof value === "string" ? value : "");

function ask({ pending }: Believed, request: unknown, run: unknown, call?: unknown): void {
  pending.set(text(request), { run: text(run), call: text(call) });
}

function say(believed: Believed, words: unknown): void {
  believed.words += text(words);
  believed.newest += text(words);
}

function forget({ pending }: Believed, isOver: (run: string, call: string) => boolean): void {
  for (const [id, { run, call }] of pending) if (isOver(run, call)) pending.delete(id);
}

const consoleClient: Client = (believed, { frame }) => {
  const { type, run_id, payload } = frame as { type: string; run_id: string; payload: Fields };
  if (/^(approval|clarify)\.requested$/.test(type)) ask(believed, payload["request_id"], run_id);
  if (/^(approval|clarify)\.resolved$/.test(type)) {
    believed.pending.delete(text(payload["request_id"]));
  }
  if (/^(subagent\.)?run\.(completed|failed)$/.test(type))
    forget(believed, (run) => run === run_id);
  if (type === "message.assistant.delta") say(believed, payload["delta"]);
  if (type === "run.completed") believed.answers.set(run_id, text(payload["final_response"]));
};

const daemonClient: Client = (believed, { frame }) => {
  const { event } = frame as { event: { method: string; params: Fields } };
  const { method, params } = event;
  if (method === "permission.request") {
    ask(believed, params["requestId"], "", params["toolUseId"]);
  }
  if (method === "permission.response") believed.pending.delete(text(params["requestId"]));
  if (method === "stream.tool_completed") forget(believed, (_, call) => call === params["id"]);
  if (method === "stream.text") say(believed, params["delta"]);
  if (method === "stream.heartbeat" && params["phase"] === "model_call") believed.newest = "";
  if (method === "stream.turn_completed") {
    forget(believed, () => true);
    const run = text(params["requestId"]).replace(/^turn-/, "");
    if (params["stopReason"] === "END_TURN") believed.answers.set(run, believed.newest);
  }
};

const terminalClient: Client = (believed, { frame }) => {
  const { run_id, text: said, finish_reason } = frame as Fields;
  if (finish_reason === "stop") believed.answers.set(text(run_id), text(said));
};

const webuiClient: Client = (believed, { frame }) => {
  const { event, data } = frame as { event: string; data: Fields };
  const id = (fields: Fields) => fields["approval_id"] ?? fields["clarify_id"];
  if (event === "approval" || event === "clarify") ask(believed, id(data), data["run_id"]);
  if (event === "context_status" && text(data["kind"]).endsWith(".resolved")) {
    believed.pending.delete(text(id(of(data["detail"]))));
  }
  if (event === "token") say(believed, data["text"]);
  if (event === "stream_end") forget(believed, () => true);
  if (event === "done") {
    const { messages = [] } = of(data["session"]) as { messages?: Fields[] };
    const last = messages.findLast(({ role }) => role === "assistant");
    believed.answers.set(text(data["stream_id"]), text(last?.["content"]));
  }
};

const v1RunsClient: Client = (believed, { frame }) => {
  const { event, run_id, request_id, delta, output } = frame as Fields;
  if (/^(approval|clarify)\.request$/.test(text(event))) ask(believed, request_id, run_id);
  if (/^(approval|clarify)\.responded$/.test(text(event)))
    believed.pending.delete(text(request_id));
  if (event === "message.delta") say(believed, delta);
  if (/^run\.(completed|failed|cancelled)$/.test(text(event))) forget(believed, () => true);
  if (event === "run.completed") believed.answers.set(text(run_id), text(output));
};

type Item = { id: string; type: string; content: { text: string }[] };

const responsesClient: Client = (believed, { frame }) => {
  const { type, delta, item_id, response } = frame as Fields;
  const isAnswer = (id: unknown) => text(id).startsWith("msg_run_"); // the other protocols list pending requests
  if (type === "response.output_text.delta" && isAnswer(item_id)) say(believed, delta);
  if (type !== "response.completed") return;
  const { id, output } = of(response) as { id: string; output: Item[] };
  const last = output.findLast((item) => item.type === "message" && isAnswer(item.id));
  believed.answers.set(
    id.replace(/^resp_/, ""),
    last?.content.map((part) => part.text).join("") ?? "",
  );
};

const chatClient: Client = (believed, { frame }) => {
  const { data } = frame as { data: Fields | "[DONE]" };
  if (data === "[DONE]" || "error" in data) return;
  const [choice] = data["choices"] as {
    delta: { content?: string };
    finish_reason: string | null;
  }[];
  say(believed, choice?.delta.content);
  if (choice?.finish_reason === "stop") {
    believed.answers.set(text(data["id"]).replace(/^chatcmpl-/, ""), believed.words);
  }
};

/** The reducer has the pending requests; a HUD emits no text. */
const hudClient: Client = (believed, { frame }) => {
  believed.folded = applyHudFrame((believed.folded as HudState | undefined) ?? emptyHud(), frame);
  believed.pending.clear();
  for (const request of pendingRequests(believed.folded as HudState)) {
    ask(believed, request.requestId, "");
  }
};

export const CLIENTS: Readonly<Record<string, Client>> = {
  console: consoleClient,
  hud: hudClient,
  daemon: daemonClient,
  terminal: terminalClient,
  webui: webuiClient,
  "v1-runs": v1RunsClient,
  responses: responsesClient,
  "chat-completions": chatClient,
};
