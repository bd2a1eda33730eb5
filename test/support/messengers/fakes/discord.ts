// A local Discord: REST with a ledger and nonces, and the gateway's socket, whose sessions can be resumed until Discord
// ends them. Shares no code with ours.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { formOf } from "../../form.ts";
import { WebSocketServer, type WebSocket } from "ws";

export const DISCORD_TOKEN = "MTIz.discord-token.that-stays-secret";

type Fields = Record<string, unknown>;
export type DiscordSent = {
  readonly id: string;
  readonly channel_id: string;
  readonly nonce: string;
  content: string;
  allowed_mentions: { parse: string[] };
  components: { components: { label: string; custom_id: string }[] }[];
  readonly file?: Buffer;
  edits: number;
};
const BOT = { id: "900000000000000001", username: "deck", discriminator: "0", bot: true };

/** Fields that Discord sends with every interaction, because its library reads them. */
const INTERACTION = {
  application_id: BOT.id,
  version: 1,
  locale: "en-US",
  entitlements: [],
  authorizing_integration_owners: {},
  app_permissions: "0",
  attachment_size_limit: 1,
};

export async function fakeDiscord() {
  const sent: DiscordSent[] = [];
  const said: Fields[] = [];
  const kept: Buffer[] = [];
  const fetched: string[] = [];
  const answered: { path: string; body: Fields }[] = [];
  let nextId = 1_000_000_000_000_000_000n;
  let socket: WebSocket | undefined;
  let seq = 1;
  let dispatched: { op: 0; t: string; s: number; d: object }[] = []; // in this session
  let limited = 0;
  let identified = 0;
  let resumed = 0;
  const closed = new Set<string>();
  let accepted: (message: DiscordSent) => Promise<void> | void = () => undefined;
  const id = () => String(nextId++);
  const port = () => (server.address() as AddressInfo).port;

  async function route(method: string, path: string, body: Fields): Promise<[number, unknown]> {
    if (path === "/gateway/bot") {
      const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
      return [200, { url: `ws://127.0.0.1:${port()}`, shards: 1, session_start_limit: limit }];
    }
    if (path === "/users/@me") return [200, BOT];
    const interaction = /^\/(interactions|webhooks)\//.test(path);
    if (interaction) return (answered.push({ path, body }), [204, undefined]);
    const [, channel = "", rest = ""] = /^\/channels\/(\w+)(\/.*)?$/.exec(path) ?? [];
    if (rest === "" && method === "GET")
      return [200, { id: channel, type: channel.startsWith("7") ? 1 : 0 }];
    if (rest.startsWith("/messages") && method === "GET") {
      const after = BigInt(new URL(path, "http://x").searchParams.get("after") ?? "0");
      // The oldest hundred after it, newest first.
      const since = said.filter(
        (one) => one["channel_id"] === channel && BigInt(String(one["id"])) > after,
      );
      return [200, since.slice(0, 100).toReversed()];
    }
    if (method === "POST") return post(channel, body);
    const message = sent.find((one) => rest === `/messages/${one.id}`);
    if (!message) return [404, { code: 10_008, message: "Unknown Message" }];
    Object.assign(message, body, { edits: message.edits + 1 });
    return [200, { id: message.id }];
  }
  async function post(channel: string, body: Fields): Promise<[number, unknown]> {
    if (limited > 0) {
      limited -= 1;
      return [429, { message: "You are being rate limited.", retry_after: 0.5, global: false }];
    }
    if (closed.has(channel))
      return [403, { code: 50_007, message: "Cannot send messages to this user" }];
    if (String(body["content"]).length > 2_000) return [400, { code: 50_035, message: "too long" }];
    const twin = sent.find(
      ({ nonce }) => body["enforce_nonce"] === true && nonce === body["nonce"],
    );
    if (twin) return [200, { id: twin.id }];
    const message = { ...body, id: id(), channel_id: channel, edits: 0 } as unknown as DiscordSent;
    sent.push(message);
    await accepted(message);
    return [200, { id: message.id }];
  }
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const path = (request.url ?? "").replace(/^\/api\/v10/, "");
      if (path.startsWith("/attachments/")) {
        fetched.push(path);
        const file = kept[Number(/^\/attachments\/(\d+)/.exec(path)?.[1])];
        return response.writeHead(file ? 200 : 404).end(file);
      }
      const open = /^\/(interactions|webhooks)\//.test(path);
      const known = open || request.headers.authorization === `Bot ${DISCORD_TOKEN}`;
      const [status, answer] = known
        ? await route(request.method ?? "", path, body)
        : ([401, { code: 0, message: "401: Unauthorized" }] as const);
      const wait = status === 429 ? { "retry-after": "0.5", "x-ratelimit-scope": "user" } : {};
      response.writeHead(status, { "content-type": "application/json", ...wait });
      response.end(answer === undefined ? "" : JSON.stringify(answer));
    })();
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (connected) => {
    const emit = (packet: object) => connected.send(JSON.stringify(packet));
    emit({ op: 10, d: { heartbeat_interval: 41_250 } });
    connected.on("message", (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString()) as {
        op: number;
        d: { token?: string; seq?: number };
      };
      if (op === 1) emit({ op: 11 });
      if (op === 6) {
        socket = connected;
        resumed += 1;
        for (const packet of dispatched) if (packet.s > (d.seq ?? 0)) emit(packet);
        return dispatch("RESUMED", {});
      }
      if (op !== 2) return;
      if (d.token !== DISCORD_TOKEN) return connected.close(4_004, "Authentication failed.");
      socket = connected;
      identified += 1;
      [seq, dispatched] = [1, []];
      const about = {
        v: 10,
        user: BOT,
        guilds: [],
        session_id: "s1",
        application: { id: BOT.id, flags: 0 },
      };
      emit({
        op: 0,
        t: "READY",
        s: seq++,
        d: { ...about, resume_gateway_url: `ws://127.0.0.1:${port()}` },
      });
    });
  });
  const dispatch = (t: string, d: object) => {
    const packet = { op: 0, t, s: seq++, d } as const;
    dispatched.push(packet);
    socket?.send(JSON.stringify(packet));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port()}/api`,
    sent,
    answered,
    fetched,
    /** A file that a person uploads; name it in `attachments` of their message. */
    file(filename: string, data: Buffer, url?: string) {
      const at = kept.push(data) - 1;
      const address = `http://127.0.0.1:${port()}/attachments/${at}/${filename}?ex=1&hm=2`;
      return { id: id(), filename, size: data.length, url: url ?? address };
    },
    in: (channel: string) => sent.filter(({ channel_id }) => channel_id === channel),
    /** How many sessions were started: Discord resets the token after a thousand a day. */
    identified: () => identified,
    resumed: () => resumed,
    /** Discord rotates sockets (the session continues), and ends sessions. */
    end: (what: "socket" | "session") =>
      socket?.send(JSON.stringify(what === "socket" ? { op: 7 } : { op: 9, d: false })),
    /** A person disables direct messages. */
    closeMessages: (channel: string) => closed.add(channel),
    limit(times: number) {
      limited = times;
    },
    onAccepted(next: typeof accepted) {
      accepted = next;
    },
    /** Direct messages are in channels that begin with 7. `live: false`: no event is sent. */
    say(
      content: string,
      {
        user = "70",
        channel = "700",
        messageId = id(),
        live = true,
        mention = false,
        attachments = [] as object[],
      } = {},
    ) {
      const author = { id: user, username: "ann", global_name: "Ann" };
      const guild = channel.startsWith("7") ? {} : { guild_id: "1" };
      const mentions = mention ? [BOT] : [];
      const text = mention ? `<@${BOT.id}> ${content}` : content;
      const message = {
        id: messageId,
        channel_id: channel,
        author,
        content: text,
        mentions,
        attachments,
        ...guild,
      };
      said.push(message);
      if (live) dispatch("MESSAGE_CREATE", message);
      return messageId;
    },
    /** Anything its gateway may send. */
    dispatch,
    press(on: DiscordSent, label: string, user = "70") {
      const buttons = on.components.flatMap(({ components }) => components);
      const custom_id = buttons.find((button) => button.label === label)?.custom_id ?? "";
      const about = { id: id(), token: `tok${String(nextId)}`, type: 3, ...INTERACTION };
      const from = { user: { id: user, username: "ann", global_name: "Ann" } };
      const where = {
        channel_id: on.channel_id,
        message: { id: on.id, channel_id: on.channel_id, author: BOT, content: on.content },
      };
      dispatch("INTERACTION_CREATE", {
        ...about,
        ...from,
        ...where,
        data: { custom_id, component_type: 2 },
      });
    },
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/")) {
    const { payload_json, "files[0]": file } = await formOf(body, type);
    return { ...(JSON.parse(String(payload_json)) as Fields), file };
  }
  const text = body.toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Fields);
}
