// Clients of `/v1/runs` that behave as the real ones. A gateway client reads one stream: it never reconnects, and takes
// the stream's end for the run's end. A runner client polls the same path for JSON, with its last cursor.
import { call, readEvents, type Server } from "../http.ts";
import { until } from "../until.ts";

type Fields = Record<string, unknown>;

/** What a client of any kind has at the moment. */
export type Reading = {
  readonly name: string;
  readonly text: () => string;
  readonly over: Promise<unknown>;
};

export async function ask(
  server: Server,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Fields }> {
  const json = { accept: "application/json", ...headers };
  const reply = await call(server, method, `/v1${path}`, body, json);
  return { status: reply.status, body: reply.body as unknown as Fields };
}

export async function startGateway(server: Server, input: string, key = input) {
  const start = () => ask(server, "POST", "/runs", { input }, { "idempotency-key": key });
  const { run_id, session_id } = (await start()).body;
  let text = "";
  const over = readEvents(server, `/v1/runs/${String(run_id)}/events`, {
    until: ({ data }) => {
      const { event, delta } = data === "" ? {} : (JSON.parse(data) as Fields);
      if (event === "message.delta") text += String(delta);
      return false;
    },
  });
  const runId = String(run_id);
  return { name: `gateway ${input}`, text: () => text, over, start, runId, session_id };
}

type Polled = { event: string; event_id: string; data: Fields };

export async function startRunnerLocal(server: Server, message: string) {
  const { body } = await ask(server, "POST", "/runs", { session_id: `own-${message}`, message });
  const path = `/runs/${String(body["run_id"])}/events`;
  const events: Polled[] = [];
  const poll = async (cursor: unknown) => {
    const page = (await ask(server, "GET", `${path}?cursor=${String(cursor)}`)).body;
    return page as { events: Polled[]; cursor: string };
  };
  let [cursor, failures] = ["0", 0];
  const pull = async () => {
    const page = await poll(cursor).catch(() => void (failures += 1));
    cursor = page?.cursor ?? cursor;
    events.push(...(page?.events ?? []));
    return events.some(({ event }) => event === "stream_end");
  };
  const text = () =>
    events.map(({ event, data }) => (event === "token" ? String(data["text"]) : "")).join("");
  /** The conversation in the last frame, which replaces everything before it. */
  const final = () => {
    const done = events.find(({ event }) => event === "done")?.data["session"];
    return (done as { messages: { content: string }[] }).messages.map(({ content }) => content);
  };
  const emitted = () => events.map(({ event_id }) => event_id);
  const whole = async () => (await poll("0")).events.map(({ event_id }) => event_id);
  return {
    name: `runner ${message}`,
    text,
    over: until(pull, "the end of the polled events"),
    emitted,
    final,
    whole,
    failures: () => failures,
  };
}
