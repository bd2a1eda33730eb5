// A local Slack: the Web API with a ledger, and socket mode. Unacknowledged events come again on the next connection;
// sockets are rotated; history can be read 50 times, then not for a minute. Shares no code with ours.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { formOf as multipart } from "../../form.ts";
import { WebSocketServer, type WebSocket } from "ws";

export const SLACK = { bot_token: "xoxb-bot-token-secret", app_token: "xapp-app-token-secret" };

type Fields = Record<string, unknown>;
export type SlackSent = {
  readonly ts: string;
  readonly channel: string;
  readonly thread_ts: string | undefined;
  text: string;
  blocks: { type: string; text?: { type: string; text: string }; elements?: Fields[] }[];
  readonly metadata: { event_payload: { nonce: string } };
  readonly files?: readonly { readonly name: string | undefined }[];
  edits: number;
};

type Saying = {
  user?: string;
  channel?: string;
  ts?: string;
  live?: boolean;
  subtype?: string;
  files?: object[];
  thread_ts?: string;
};
type AuditOptions = { thread_ts: string; user?: string; channel?: string };

export async function fakeSlack() {
  const sent: SlackSent[] = [];
  const said: Fields[] = [];
  const kept = new Map<string, { name: string; data: Buffer; url?: string }>(); // files, by id
  const fetched: { path: string; authorization: string | undefined }[] = [];
  const unacked = new Map<string, object>();
  let next = 1_700_000_000;
  let socket: WebSocket | undefined;
  let limited = 0;
  let opened = 0;
  const history = { calls: 50, seconds: 60, used: 0, until: 0 };
  let tooMany = 0;
  let accepted: (message: SlackSent) => Promise<void> | void = () => undefined;
  const stamp = () => `${next++}.000100`;

  const methods: Record<string, (fields: Fields) => Promise<object> | object> = {
    "auth.test": () => ({ user_id: "UBOT", user: "deck", team: "Crew" }),
    "apps.connections.open": () => ({ url: `ws://127.0.0.1:${port()}/socket` }),
    "users.info": ({ user }) => ({ user: { real_name: `Name of ${String(user)}` } }),
    "chat.postMessage": async (fields) => {
      const message = { ...contentOf(fields), ts: stamp(), edits: 0 };
      sent.push(message);
      await accepted(message);
      return { ts: message.ts, channel: message.channel };
    },
    "chat.update": (fields) => {
      const message = sent.find(({ ts }) => ts === fields["ts"]);
      if (!message) return { ok: false, error: "message_not_found" };
      const { text, blocks } = contentOf(fields);
      Object.assign(message, { text, blocks, edits: message.edits + 1 });
      return { ts: message.ts };
    },
    "chat.delete": () => ({}),
    "files.info": ({ file: id }) => {
      const file = kept.get(String(id));
      if (!file) return { ok: false, error: "file_not_found" };
      const address = file.url ?? `http://127.0.0.1:${port()}/files-pri/${String(id)}`;
      return { file: { id, name: file.name, url_private_download: address } };
    },
    "files.getUploadURLExternal": ({ filename }) => {
      const file_id = `FUP${kept.size}`;
      kept.set(file_id, { name: String(filename), data: Buffer.alloc(0) });
      return { file_id, upload_url: `http://127.0.0.1:${port()}/upload/${file_id}` };
    },
    "files.completeUploadExternal": async ({ files, channel_id, thread_ts }) => {
      const shared = JSON.parse(String(files)) as { id: string; title: string }[];
      const about = shared.map(({ id, title }) => ({ id, title, name: kept.get(id)?.name }));
      const message = { ...contentOf({ channel: channel_id, thread_ts, text: "" }), files: about };
      const posted = { ...message, ts: stamp(), edits: 0 };
      sent.push(posted);
      await accepted(posted);
      return { files: about };
    },
    // Newest first, in pages.
    "conversations.history": ({ channel, oldest = "0", ...asked }) =>
      page(past(channel, oldest, undefined).toReversed(), asked),
    "conversations.replies": ({ channel, ts, oldest = "0", ...asked }) =>
      page(past(channel, oldest, ts), asked),
  };
  function page(messages: readonly object[], { limit = 100, cursor }: Fields) {
    const from = Number(cursor || 0);
    const to = from + Number(limit);
    const next_cursor = to < messages.length ? String(to) : "";
    return { messages: messages.slice(from, to), response_metadata: { next_cursor } };
  }
  function past(channel: unknown, oldest: unknown, thread: unknown) {
    const ours = sent.map((message) => ({ ...message, bot_id: "B1", user: "UBOT" }));
    const all = [...ours, ...said] as Fields[];
    return all
      .filter(
        (message) =>
          message["channel"] === channel &&
          message["thread_ts"] === thread &&
          String(message["ts"]) > String(oldest),
      )
      .toSorted((a, b) => (String(a["ts"]) < String(b["ts"]) ? -1 : 1));
  }
  const server = createServer((request, response) => {
    void (async () => {
      const method = (request.url ?? "").replace("/api/", "");
      const [, action, fileId = ""] = /^\/(files-pri|upload)\/(\w+)/.exec(method) ?? [];
      const file = kept.get(fileId);
      if (action === "upload" && file) {
        const form = await multipart(
          await bytesOf(request),
          String(request.headers["content-type"]),
        );
        file.data = Object.values(form).find((value) => Buffer.isBuffer(value)) as Buffer;
        return response.end("OK");
      }
      if (action === "files-pri") {
        const { authorization } = request.headers;
        fetched.push({ path: method, authorization });
        if (authorization !== `Bearer ${SLACK.bot_token}`)
          return response.writeHead(302, { location: "https://slack.com/login" }).end();
        return response.writeHead(file ? 200 : 404).end(file?.data);
      }
      const fields = await formOf(request);
      const token = (request.headers.authorization ?? "").replace("Bearer ", "");
      const wanted = method === "apps.connections.open" ? SLACK.app_token : SLACK.bot_token;
      const answer = (status: number, body: object, headers = {}) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(body));
      };
      if (token !== wanted) return answer(200, { ok: false, error: "invalid_auth" });
      if (method === "chat.postMessage" && limited > 0) {
        limited -= 1;
        return answer(429, { ok: false, error: "ratelimited" }, { "retry-after": "1" });
      }
      if (method.startsWith("conversations.")) {
        history.used += 1;
        if (history.used > history.calls) {
          const now = performance.now() / 1_000;
          if (history.until === 0) history.until = now + history.seconds;
          if (now < history.until) {
            tooMany += 1;
            const wait = String(Math.ceil(history.until - now));
            return answer(429, { ok: false, error: "ratelimited" }, { "retry-after": wait });
          }
          Object.assign(history, { used: 1, until: 0 });
        }
      }
      answer(200, { ok: true, ...(await methods[method]?.(fields)) });
    })();
  });
  const sockets = new WebSocketServer({ server, path: "/socket" });
  sockets.on("connection", (connected) => {
    socket = connected;
    opened += 1;
    connected.send(JSON.stringify({ type: "hello", num_connections: 1, connection_info: {} }));
    for (const envelope of unacked.values()) connected.send(JSON.stringify(envelope));
    connected.on("message", (data: Buffer) => {
      const { envelope_id } = JSON.parse(data.toString()) as { envelope_id?: string };
      if (envelope_id !== undefined) unacked.delete(envelope_id);
    });
  });
  const port = () => (server.address() as AddressInfo).port;
  function push(type: string, payload: object): void {
    const envelope_id = `env${next++}`;
    const envelope = { envelope_id, type, payload, accepts_response_payload: false };
    unacked.set(envelope_id, envelope);
    socket?.send(JSON.stringify(envelope));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port()}/api/`,
    sent,
    fetched,
    unacked,
    /** A file that a person uploads; name it in `files` of their message. */
    file(name: string, data: Buffer, url?: string) {
      const id = `F${kept.size}`;
      kept.set(id, { name, data, ...(url !== undefined && { url }) });
      return { id, name, size: data.length };
    },
    /** What we uploaded, by its name. */
    uploaded: () => [...kept].filter(([id]) => id.startsWith("FUP")).map(([, file]) => file),
    in: (channel: string) => sent.filter((message) => message.channel === channel),
    limit(times: number) {
      limited = times;
    },
    onAccepted(next_: typeof accepted) {
      accepted = next_;
    },
    /** `live: false`: no event is sent, the message is only in the channel. */
    say(
      text: string,
      { user = "U7", channel = "D7", ts = stamp(), live = true, ...more }: Saying = {},
    ) {
      const event = { type: "message", channel_type: "im", user, channel, text, ts, ...more };
      said.push(event);
      if (live) push("events_api", { type: "event_callback", event });
      return ts;
    },
    mention(text: string, { user = "U7", channel = "C1", ts = stamp() } = {}) {
      const event = { type: "app_mention", user, channel, text: `<@UBOT> ${text}`, ts };
      push("events_api", { type: "event_callback", event });
      return ts;
    },
    press(on: SlackSent, label: string, user = "U7") {
      const actions = on.blocks.find(({ type }) => type === "actions")?.elements ?? [];
      const found = actions.find((each) => (each["text"] as { text: string }).text === label);
      const about = { user: { id: user, username: "ann" }, channel: { id: on.channel } };
      const pressed = { type: "block_actions", ...about, message: {}, actions: [found] };
      push("interactive", pressed);
    },
    /** A message in a thread, without an event; a mention names the bot. */
    note(text: string, { thread_ts, user = "U7", channel = "C1" }: AuditOptions) {
      said.push({ type: "message", user, channel, thread_ts, text, ts: stamp() });
    },
    /** After `calls` reads of history, reads are refused for the given seconds. */
    limitHistory: (calls: number, seconds: number) => Object.assign(history, { calls, seconds }),
    tooMany: () => tooMany,
    /** How many sockets there were. */
    opened: () => opened,
    /** Slack ends sockets every few hours, in one of these ways. */
    end(how: "close" | "terminate" | "refresh") {
      const reason = { type: "disconnect", reason: "refresh_requested", debug_info: {} };
      if (how === "refresh") socket?.send(JSON.stringify(reason));
      else socket?.[how]();
    },
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function contentOf(fields: Fields) {
  const json = (value: unknown) => (typeof value === "string" ? JSON.parse(value) : value) as never;
  return {
    channel: String(fields["channel"]),
    thread_ts: fields["thread_ts"] as string | undefined,
    text: String(fields["text"]),
    blocks: json(fields["blocks"] ?? []) as SlackSent["blocks"],
    metadata: json(fields["metadata"] ?? {}) as SlackSent["metadata"],
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function formOf(request: IncomingMessage): Promise<Fields> {
  const text = (await bytesOf(request)).toString("utf8");
  const isJson = request.headers["content-type"]?.includes("json");
  return isJson ? (JSON.parse(text) as Fields) : Object.fromEntries(new URLSearchParams(text));
}

/** What a person sees. */
export function slackText({ blocks }: SlackSent): string {
  const texts = blocks.map(({ type, text, elements }) => {
    if (type === "section") return text?.text ?? "";
    if (type !== "rich_text") return "";
    return (elements ?? [])
      .flatMap((each) => (each["elements"] as { text: string }[]).map((part) => part.text))
      .join("");
  });
  return texts.filter((text) => text !== "").join("\n");
}
