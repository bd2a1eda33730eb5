// Slack, by socket mode: no address of ours is needed. Texts go out as plain text and as preformatted blocks, never as
// mrkdwn, so nothing in them can become a mention, a link or markup. Each message carries our name for it as metadata:
// after a crash it is looked for before it is sent again. In a channel a conversation is a thread ("C1/1700.1").
import type { WebClient } from "@slack/web-api";
import { download, originsOf } from "../download.ts";
import {
  loaded,
  PlatformProblem,
  unreachable,
  type Adapter,
  type Handlers,
  type Incoming,
  type Limits,
  type Received,
} from "../adapter.ts";
import { shape, unescaped } from "./slack-blocks.ts";

export type SlackOptions = {
  readonly botToken: string;
  readonly appToken: string;
  readonly apiRoot?: string | undefined;
  readonly limits: Limits;
};
const PACKAGES = ["@slack/web-api", "@slack/socket-mode"];
const PAGE = 50;
const MAX_PAGES = 10;
const [HEARD, ENDED] = ["slack_event", "disconnected"] as const;
const SILENT = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {} };

type SlackMessage = {
  readonly type?: string;
  readonly subtype?: string;
  readonly bot_id?: string;
  readonly user?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly channel?: string;
  readonly channel_type?: string;
  readonly files?: readonly SlackFile[];
  readonly metadata?: { readonly event_payload?: { readonly nonce?: unknown } };
};
type SlackFile = {
  readonly id?: string;
  readonly name?: string | null;
  readonly size?: number;
};
type Pressed = {
  readonly type?: string;
  readonly user?: { readonly id: string; readonly username?: string };
  readonly channel?: { readonly id: string };
  readonly message?: { readonly thread_ts?: string };
  readonly actions?: readonly { readonly value?: string }[];
};
type Envelope = {
  readonly type: string;
  readonly body: Pressed & { readonly event?: SlackMessage };
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>;
};

async function clientsOf({ botToken, appToken, apiRoot }: SlackOptions) {
  const [{ WebClient: Client }, { SocketModeClient }] = await loaded(PACKAGES, () =>
    Promise.all([import("@slack/web-api"), import("@slack/socket-mode")]),
  );
  const at = {
    ...(apiRoot !== undefined && { slackApiUrl: apiRoot }),
    retryConfig: { retries: 0 }, // what failed is sent again by whoever knows whether it may be
    rejectRateLimitedCalls: true,
  };
  const logger = { ...SILENT, getLevel: () => "error" } as never;
  const web = new Client(botToken, { ...at, logger });
  const socket = new SocketModeClient({
    appToken,
    logger,
    autoReconnectEnabled: false,
    clientOptions: at,
  });
  return { web, socket };
}

export async function slackAdapter(options: SlackOptions): Promise<Adapter> {
  const { limits } = options;
  const { web, socket } = await clientsOf(options);
  let me = "";
  return {
    limits,
    nameOf: namesIn(web),
    async start(handlers) {
      const known = await asked(() => web.auth.test());
      me = known.user_id ?? "";
      socket.on(HEARD, (envelope: Envelope) => {
        receive(envelope, me, handlers).catch(handlers.lost);
      });
      const gone = new PlatformProblem("unreachable", "Slack ended the connection.");
      socket.on(ENDED, () => handlers.lost(gone));
      await asked(() => socket.start());
      return { account: `${known.user ?? "bot"} in ${known.team ?? "Slack"}` };
    },
    send: (channel, outgoing) =>
      asked(async () => {
        const sent = await web.chat.postMessage({ ...placeOf(channel), ...shape(outgoing) });
        return sent.ts ?? "";
      }),
    edit: (channel, ts, outgoing) =>
      asked(async () => {
        const { channel: id } = placeOf(channel);
        await web.chat.update({ channel: id, ts, ...shape(outgoing) });
      }),
    remove: (channel, ts) =>
      asked(async () => void (await web.chat.delete({ channel: placeOf(channel).channel, ts }))),
    ...filesIn(web, options),
    async find(channel, { nonce }) {
      const { messages } = await past(web, channel, {});
      const found = messages.find(
        ({ metadata, files = [] }) =>
          metadata?.event_payload?.nonce === nonce ||
          files.some(({ name }) => name?.startsWith(`${nonce}-`)),
      );
      return found?.ts ?? null;
    },
    async missed(channel, after) {
      const { channel: id, thread_ts } = placeOf(channel);
      const about = { channel: id, channel_type: thread_ts === undefined ? "im" : "channel" };
      const ofThread = thread_ts === undefined ? {} : { thread_ts };
      return (await allAfter(web, channel, after))
        .filter((message) => isSaid(message) && (message.ts ?? "") > after)
        .toSorted((a, b) => ((a.ts ?? "") < (b.ts ?? "") ? -1 : 1))
        .map((message) => incoming({ ...message, ...about, ...ofThread }, me));
    },
    async [Symbol.asyncDispose]() {
      // Only ours: `disconnect` settles by a listener of the library's own.
      socket.removeAllListeners(HEARD);
      socket.removeAllListeners(ENDED);
      await socket.disconnect().catch(() => undefined);
    },
  };
}

/** What was taken is acknowledged; what was not comes again. */
async function receive(envelope: Envelope, me: string, { take }: Handlers): Promise<void> {
  const { type, body, ack } = envelope;
  if (type === "events_api" && body.event) {
    const { event } = body;
    await take(channelOf(event), () => heard(event, me));
  }
  if (type === "interactive" && body.type === "block_actions") {
    const { user, channel, message, actions = [] } = body;
    const thread = message?.thread_ts;
    const channel_id = `${channel?.id ?? ""}${thread === undefined ? "" : `/${thread}`}`;
    const who = { user_id: user?.id ?? "", user_name: user?.username ?? "" };
    for (const { value: data = "" } of actions) {
      await take(channel_id, () => ({ press: { data, channel_id, ...who } }));
    }
  }
  await ack();
}

function heard(event: SlackMessage, me: string): Received | undefined {
  const isIm = event.type === "message" && event.channel_type === "im";
  const isMention = event.type === "app_mention";
  return (isIm || isMention) && isSaid(event) ? { message: incoming(event, me) } : undefined;
}

/** Of the messages with a subtype, those in which a person says something. */
const SAID = new Set<string | undefined>([undefined, "file_share", "thread_broadcast"]);

function isSaid({ subtype, bot_id, user, ts }: SlackMessage): boolean {
  return SAID.has(subtype) && bot_id === undefined && user !== undefined && ts !== undefined;
}

function channelOf({ channel = "", channel_type, ts = "", thread_ts = ts }: SlackMessage): string {
  return channel_type === "im" ? channel : `${channel}/${thread_ts}`;
}

function incoming(message: SlackMessage, me: string): Incoming {
  const { channel_type, ts = "", user = "", text = "", files = [] } = message;
  const direct = channel_type === "im";
  return {
    channel_id: channelOf(message),
    user_id: user,
    user_name: "",
    message_id: ts,
    files: files.map(({ id = "", name, size }) => ({ ref: id, name: name ?? "file", bytes: size })),
    text: unescaped(text.replaceAll(`<@${me}>`, "")).trim(),
    direct,
    addressed: direct || text.includes(`<@${me}>`), // also where a thread is read, not told
  };
}

/** Asked once; who may not ask has ids for names. */
function namesIn(web: WebClient): (user: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (user) => {
    let name = known.get(user);
    if (!name) {
      name = web.users.info({ user }).then(
        (answer) => answer.user?.real_name ?? answer.user?.name ?? "",
        () => "",
      );
      known.set(user, name);
    }
    return name;
  };
}

type Since = { readonly oldest?: string; readonly cursor?: string };

async function past(web: WebClient, channel: string, since: Since) {
  const { channel: id, thread_ts } = placeOf(channel);
  const asking = { channel: id, limit: PAGE, include_all_metadata: true, ...since };
  const page = await asked(() =>
    thread_ts === undefined
      ? web.conversations.history(asking)
      : web.conversations.replies({ ...asking, ts: thread_ts }),
  );
  const messages = (page.messages ?? []) as readonly SlackMessage[];
  return { messages, next: page.response_metadata?.next_cursor };
}

/** At most ten pages, in no order: a channel's come newest first, a thread's oldest first. */
async function allAfter(web: WebClient, channel: string, oldest: string) {
  const all: SlackMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { messages, next } = await past(web, channel, { oldest, ...(cursor && { cursor }) });
    all.push(...messages);
    if (!next) break;
    cursor = next;
  }
  return all;
}

function filesIn(
  web: WebClient,
  { botToken, apiRoot }: SlackOptions,
): Pick<Adapter, "sendFile" | "download"> {
  return {
    // Its message has no metadata: the file's own name says which one it is.
    sendFile: (channel, { nonce, name, data }) =>
      asked(async () => {
        const { channel: channel_id, thread_ts } = placeOf(channel);
        const file = { file: Buffer.from(data), filename: `${nonce}-${name}`, title: name };
        const place = thread_ts === undefined ? { channel_id } : { channel_id, thread_ts };
        await web.filesUploadV2({ ...place, ...file });
        return `${nonce}-${name}`;
      }),
    async download({ ref }, signal) {
      const { file } = await asked(() => web.files.info({ file: ref }));
      const address = file?.url_private_download ?? file?.url_private ?? "";
      const headers = { authorization: `Bearer ${botToken}` };
      const origins = originsOf(apiRoot, ["https://files.slack.com"]);
      return download(address, { origins, headers, signal });
    },
  };
}

function placeOf(channelId: string): { channel: string; thread_ts?: string } {
  const [channel = "", thread_ts] = channelId.split("/");
  return thread_ts === undefined ? { channel } : { channel, thread_ts };
}

const WRONG_TOKEN =
  /^(invalid_auth|not_authed|account_inactive|token_revoked|token_expired|not_allowed_token_type)$/;
const NOT_THERE = /^(message_not_found|cant_update_message)$/;

async function asked<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toProblem(error as { code?: string; retryAfter?: number; data?: { error?: string } });
  }
}

function toProblem(error: { code?: string; retryAfter?: number; data?: { error?: string } }) {
  if (error.code === "slack_webapi_rate_limited_error") {
    const retryMs = (error.retryAfter ?? 1) * 1_000;
    return new PlatformProblem("rate_limited", "Slack wants us to wait.", retryMs);
  }
  if (error.code !== "slack_webapi_platform_error") return unreachable(error);
  const said = error.data?.error ?? "unknown_error";
  if (WRONG_TOKEN.test(said)) {
    return new PlatformProblem("unauthorized", `Slack does not take this token (${said}).`);
  }
  if (NOT_THERE.test(said)) return new PlatformProblem("gone", "The message is not there.");
  if (/^(internal_error|fatal_error|service_unavailable|ratelimited)$/.test(said)) {
    return new PlatformProblem("unreachable", `Slack answered ${said}.`);
  }
  return new PlatformProblem("refused", `Slack refused it: ${said}.`);
}
