// A run as each window of the run contract tells it, read once when it is over or stands still.
import { call, readEvents, type Frame, type Server } from "../../support/http.ts";
import { until } from "../../support/until.ts";
import * as page from "../../support/windows/webui.ts";

export type Fields = Record<string, unknown>;
export type Event = Fields & {
  readonly event_id: string;
  readonly seq: number;
  readonly type: string;
  readonly terminal: boolean;
  readonly payload: Fields;
};

export type Recorded = {
  readonly id: string;
  readonly frames: readonly Frame[]; // of /api/runs/{id}/events
  readonly events: readonly Event[];
  readonly browser: readonly page.Emitted[]; // of /api/chat/stream
  readonly v1: readonly { readonly id: string; readonly data: Fields }[]; // of /v1/runs/{id}/events as SSE
  readonly polled: readonly Fields[]; // the same as JSON
  readonly status: Fields; // GET /api/runs/{id}
  readonly view: Fields; // GET /v1/runs/{id}
};

export async function record(server: Server, id: string): Promise<Recorded> {
  const frames = (await readEvents(server, `/api/runs/${id}/events`)).frames;
  const { emitted: browser } = await page.watchChat(server, id);
  const sse = await readEvents(server, `/v1/runs/${id}/events`);
  const v1 = sse.frames.flatMap(({ id: at = "", data }) =>
    data === "" ? [] : [{ id: at, data: JSON.parse(data) as Fields }],
  );
  const polled = (await pollAll(server, id)).flat();
  const events = frames.map(({ data }) => JSON.parse(data) as Event);
  const status = await statusOf(server, id);
  return { id, frames, events, browser, v1, polled, status, view: await viewOf(server, id) };
}

/** The runner client's way: JSON after a cursor, again and again until the end. Its pages. */
export async function pollAll(server: Server, id: string): Promise<Fields[][]> {
  const pages: Fields[][] = [];
  for (let cursor = "0"; pages.at(-1)?.at(-1)?.["event"] !== "stream_end";) {
    const { body } = await page.ask(
      server,
      "GET",
      `/v1/runs/${id}/events?cursor=${cursor}`,
      undefined,
      {
        accept: "application/json",
      },
    );
    pages.push(body["events"] as Fields[]);
    cursor = String(body["cursor"]);
  }
  return pages;
}

export async function statusOf(server: Server, id: string): Promise<Fields> {
  return (await call(server, "GET", `/api/runs/${id}`)).body.data;
}

export async function viewOf(server: Server, id: string): Promise<Fields> {
  return (await page.ask(server, "GET", `/v1/runs/${id}`)).body;
}

export async function sessionOf(server: Server, id: string): Promise<Fields> {
  return (await call<{ session: Fields }>(server, "GET", `/api/sessions/${id}`)).body.data.session;
}

/** Everything that was journaled in a session until now, across its runs. */
export async function sessionEvents(server: Server, id: string): Promise<Event[]> {
  const { seq } = await sessionOf(server, id);
  const eventIn = ({ data }: Frame) => JSON.parse(data) as Event;
  const { frames } = await readEvents(server, `/api/sessions/${id}/events`, {
    until: (frame) => frame.data !== "" && eventIn(frame)["session_seq"] === seq,
  });
  return frames.filter(({ data }) => data !== "").map(eventIn);
}

/** A control of the native API: its result, in whatever way it was taken. */
export async function control(server: Server, path: string, body: object = {}): Promise<Fields> {
  return (await call(server, "POST", path, body)).body.data;
}

export async function untilStatus(server: Server, id: string, wanted: string): Promise<Fields> {
  return until(async () => {
    const status = await statusOf(server, id);
    return status["status"] === wanted ? status : undefined;
  }, `${id} to be ${wanted}`);
}

export const ofType = (events: readonly Event[], type: string): Fields[] =>
  events.filter((event) => event.type === type).map(({ payload }) => payload);

/** The detail of a `context_status` frame. */
export const contextOf = (emitted: readonly page.Emitted[], kind: string): Fields[] =>
  page
    .eventsNamed(emitted, "context_status")
    .filter((data) => data["kind"] === kind)
    .map((data) => data["detail"] as Fields);

/** Everything a run said, as its events have it. */
export const textOf = (events: readonly Event[]): string =>
  ofType(events, "token.delta")
    .map(({ delta }) => delta as string)
    .join("");
