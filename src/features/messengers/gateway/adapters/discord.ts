// Discord. No mention of ours ever pings anybody, links say where they lead, and code stands in fences that nothing
// inside can close. Every message has a nonce that Discord itself keeps apart for minutes: one sent again after a crash
// is the same message. What was written while we were away is read when we come back.
import type { Client } from "discord.js";
import type { Block } from "../../labels.ts";
import { download, originsOf } from "../download.ts";
import {
  loaded,
  PlatformProblem,
  unreachable,
  type Adapter,
  type Handlers,
  type Incoming,
  type Limits,
  type Outgoing,
} from "../adapter.ts";

export type DiscordOptions = {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly limits: Limits;
};
const DIRECT = 1; // a channel's type
const DEFERRED_UPDATE = 6;
const EPHEMERAL = 64;
const PAGE = 100;
const MAX_PAGES = 10;
const FILES = ["https://cdn.discordapp.com", "https://media.discordapp.net"];
const STYLES = { yes: 3, no: 4, plain: 2 } as const;

type DiscordUser = {
  readonly id: string;
  readonly username?: string;
  readonly global_name?: string | null;
  readonly bot?: boolean;
};
type DiscordFile = { readonly url?: string; readonly filename?: string; readonly size?: number };
type DiscordMessage = {
  readonly id: string;
  readonly channel_id: string;
  readonly guild_id?: string;
  readonly content?: string;
  readonly attachments?: readonly DiscordFile[];
  readonly author: DiscordUser;
  readonly mentions?: readonly DiscordUser[];
  readonly referenced_message?: { readonly author?: DiscordUser } | null;
};
type Interaction = {
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly channel_id?: string;
  readonly data?: { readonly custom_id?: string };
  readonly user?: DiscordUser;
  readonly member?: { readonly user?: DiscordUser };
};
type Packet = { readonly t?: string | null; readonly d?: unknown };

export async function discordAdapter({ token, apiRoot, limits }: DiscordOptions): Promise<Adapter> {
  const discord = await loaded(["discord.js"], () => import("discord.js"));
  const { GatewayIntentBits: bits, Routes } = discord;
  const client = new discord.Client({
    intents: [bits.Guilds, bits.GuildMessages, bits.DirectMessages, bits.MessageContent],
    rest: {
      ...(apiRoot !== undefined && { api: apiRoot }),
      retries: 0,
      rejectOnRateLimit: () => true, // whoever sends knows what to do meanwhile
    },
  });
  const { rest } = client;
  return {
    limits,
    start: (handlers) => connect(client, { token, handlers }),
    send: (channel, outgoing) =>
      asked(async () => {
        const body = { ...shape(outgoing), nonce: outgoing.nonce, enforce_nonce: true };
        const sent = (await rest.post(Routes.channelMessages(channel), { body })) as DiscordMessage;
        return sent.id;
      }),
    edit: (channel, id, outgoing) =>
      asked(async () => {
        await rest.patch(Routes.channelMessage(channel, id), { body: shape(outgoing) });
      }),
    sendFile: (channel, { nonce, name, mediaType: contentType, data }) =>
      asked(async () => {
        const body = { nonce, enforce_nonce: true, allowed_mentions: { parse: [] } };
        const files = [{ name, data: Buffer.from(data), contentType }];
        const route = Routes.channelMessages(channel);
        return ((await rest.post(route, { body, files })) as DiscordMessage).id;
      }),
    download: ({ ref }, signal) => download(ref, { origins: originsOf(apiRoot, FILES), signal }),
    remove: (channel, id) =>
      asked(async () => void (await rest.delete(Routes.channelMessage(channel, id)))),
    missed: (channel, after) =>
      asked(async () => {
        const about = (await rest.get(Routes.channel(channel))) as { type?: number };
        const direct = about.type === DIRECT;
        return (await allAfter(client, Routes.channelMessages(channel), after))
          .filter(({ author }) => !author.bot)
          .map((message) => incoming(message, { me: client.user?.id ?? "", direct }));
      }),
    async [Symbol.asyncDispose]() {
      client.removeAllListeners();
      await client.destroy();
    },
  };
}

async function connect(
  client: Client,
  { token, handlers }: { readonly token: string; readonly handlers: Handlers },
): Promise<{ account: string }> {
  const ready = Promise.withResolvers<void>();
  client.once("clientReady", () => ready.resolve());
  client.on("error", () => undefined); // it reconnects by itself, or says that it does not
  const over = (message: string) => {
    const problem = new PlatformProblem("unreachable", message);
    ready.reject(problem);
    handlers.lost(problem);
  };
  client.on("shardDisconnect", () => over("Discord ended the connection."));
  client.on("invalidated", () => over("Discord ended the session."));
  let sessions = 0;
  client.on("raw", (packet: Packet) => {
    // Its library begins another session by itself. What was written in between is only read when we connect anew.
    if (packet.t === "READY" && ++sessions > 1) return over("Discord began another session.");
    receive(client, packet, handlers).catch(handlers.lost);
  });
  await asked(() => client.login(token));
  await ready.promise;
  return { account: client.user?.username ?? "bot" };
}

/** Oldest first, at most ten pages. */
async function allAfter(client: Client, route: `/${string}`, after: string) {
  const all: DiscordMessage[] = [];
  for (let [page, last] = [0, after]; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({ after: last, limit: String(PAGE) });
    const found = (await client.rest.get(route, { query })) as DiscordMessage[];
    all.push(...found.toReversed());
    last = found[0]?.id ?? last;
    if (found.length < PAGE) break;
  }
  return all;
}

async function receive(client: Client, { t, d }: Packet, handlers: Handlers): Promise<void> {
  const me = client.user?.id ?? "";
  if (t === "MESSAGE_CREATE") {
    const message = d as DiscordMessage;
    const direct = message.guild_id === undefined;
    await handlers.take(String(message.channel_id), () =>
      message.author.bot ? undefined : { message: incoming(message, { me, direct }) },
    );
  }
  if (t === "INTERACTION_CREATE") await press(client, d as Interaction, handlers);
}

async function press(client: Client, pressed: Interaction, handlers: Handlers): Promise<void> {
  const user = pressed.member?.user ?? pressed.user;
  const data = pressed.data?.custom_id;
  if (!user || data === undefined) return;
  const who = { user_id: user.id, user_name: nameOf(user) };
  const { id, token, channel_id = "" } = pressed;
  // Discord wants an answer within seconds; what was decided is seen at the message, and said to whoever pressed.
  const answer = (path: `/${string}`, body: object) =>
    client.rest.post(path, { body, auth: false }).catch(() => undefined);
  await answer(`/interactions/${id}/${token}/callback`, { type: DEFERRED_UPDATE });
  const said = await handlers.take(channel_id, () => ({ press: { data, channel_id, ...who } }));
  const application = client.application?.id ?? client.user?.id ?? "";
  const content = (said ?? "This was not taken.").slice(0, 200);
  await answer(`/webhooks/${application}/${token}`, { content, flags: EPHEMERAL });
}

function incoming(
  message: DiscordMessage,
  { me, direct }: { readonly me: string; readonly direct: boolean },
): Incoming {
  const { id, channel_id, content = "", author, mentions = [], attachments = [] } = message;
  const { referenced_message } = message;
  const files = attachments.map(({ url: ref = "", filename: name = "file", size: bytes }) => ({
    ref,
    name,
    bytes,
  }));
  const toUs = mentions.some((user) => user.id === me) || referenced_message?.author?.id === me;
  return {
    channel_id,
    user_id: author.id,
    user_name: nameOf(author),
    message_id: id,
    before: String(BigInt(id) - 1n),
    files,
    text: content.replaceAll(new RegExp(`<@!?${me}>`, "g"), "").trim(),
    direct,
    addressed: direct || toUs,
  };
}

function nameOf({ global_name, username }: DiscordUser): string {
  return global_name ?? username ?? "";
}

function shape({ blocks, buttons }: Outgoing) {
  const rows = [];
  for (let at = 0; at < buttons.length; at += 5) rows.push(buttons.slice(at, at + 5));
  return {
    content: blocks.map(rendered).join("\n"),
    allowed_mentions: { parse: [] },
    flags: 4, // no previews of links
    components: rows.slice(0, 5).map((row) => ({
      type: 1,
      components: row.map(({ data, label, style }) => ({
        type: 2,
        style: STYLES[style],
        label,
        custom_id: data,
      })),
    })),
  };
}

/** A link with words says where it leads: Discord would hide that. */
function rendered({ kind, text }: Block): string {
  if (kind === "code") return `\`\`\`\n${text.replaceAll("```", "`\u200b``")}\n\`\`\``;
  return text.replaceAll(/\[([^\]\n]*)\]\(<?((?:https?|discord):[^)\s>]*)>?[^)\n]*\)/gi, "$1 ($2)");
}

type Thrown = {
  readonly name?: string;
  readonly code?: unknown;
  readonly status?: number;
  readonly retryAfter?: number;
  readonly timeToReset?: number;
};

async function asked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toProblem(error as Thrown);
  }
}

function toProblem(error: Thrown): PlatformProblem {
  const { name = "", code, status, retryAfter, timeToReset } = error;
  if (name.startsWith("RateLimitError")) {
    const retryMs = Math.max(retryAfter ?? 0, timeToReset ?? 0, 250);
    return new PlatformProblem("rate_limited", "Discord wants us to wait.", retryMs);
  }
  if (code === "TokenInvalid" || status === 401) {
    return new PlatformProblem("unauthorized", "Discord does not know this token.");
  }
  if (code === 10_008) return new PlatformProblem("gone", "The message is not there.");
  if (status !== undefined && status >= 400 && status < 500) {
    return new PlatformProblem("refused", `Discord refused it (${status}, ${String(code)}).`);
  }
  return unreachable(error);
}
