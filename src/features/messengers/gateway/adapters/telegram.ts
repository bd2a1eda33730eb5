// Telegram, by long polling. Texts go out without any markup of Telegram's: code is marked by entities, which are
// offsets, so nothing in a text can become markup. Telegram gives messages no names of ours and lets nobody read a chat:
// a message that was perhaps sent is found by its number, which follows those that are known.
import { setTimeout as delay } from "node:timers/promises";
import type { Api, GrammyError as GrammyErrorType } from "grammy";
import type { Block } from "../../labels.ts";
import { download, originsOf } from "../download.ts";
import {
  loaded,
  PlatformProblem,
  problemOf,
  unreachable,
  type Adapter,
  type Handlers,
  type IncomingFile,
  type Limits,
  type Outgoing,
  type Received,
} from "../adapter.ts";

export type TelegramOptions = {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly limits: Limits;
};

const API = "https://api.telegram.org";
const PATH = /^(?!.*\.\.)\w[\w./-]*$/; // of a server of somebody's own it may be one of its disk
const POLL_SECONDS = 25;
const LOOK_AGAIN_MS = 500; // while something is still being taken
const MAX_LOOKS = 20; // at messages after the last one that is known: in a group Telegram lets us edit 20 a minute
const UPDATES = ["message", "callback_query"] as const;
type Update = Awaited<ReturnType<Api["getUpdates"]>>[number];
type Message = NonNullable<Update["message"]>;
type Sender = { readonly id: number; readonly first_name: string; readonly last_name?: string };

export async function telegramAdapter({
  token,
  apiRoot,
  limits,
}: TelegramOptions): Promise<Adapter> {
  const { Api, GrammyError } = await loaded(["grammy"], () => import("grammy"));
  const api = new Api(token, { ...(apiRoot !== undefined && { apiRoot }), timeoutSeconds: 60 });
  const stop = new AbortController();
  const ask = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof GrammyError ? toProblem(error) : unreachable(error);
    }
  };
  let polling: Promise<void> = Promise.resolve();
  return {
    limits,
    async start(handlers, signal) {
      const me = await ask(() => api.getMe());
      const inside = AbortSignal.any([signal, stop.signal]);
      const emitted = { handlers, me: { id: me.id, name: me.username }, signal: inside };
      polling = poll({ api, ask }, emitted).catch(handlers.lost);
      return { account: `@${me.username}` };
    },
    send: (channel, outgoing) =>
      ask(async () => {
        const { text, entities } = rendered(outgoing.blocks);
        const sent = await api.sendMessage(channel, text, { entities, ...shape(outgoing) });
        return String(sent.message_id);
      }),
    edit: (channel, id, outgoing) =>
      ask(async () => {
        const { text, entities } = rendered(outgoing.blocks);
        const more = { entities, ...shape(outgoing) };
        await api.editMessageText(channel, Number(id), text, more).catch((error: unknown) => {
          const same = error instanceof GrammyError && /not modified/.test(error.description);
          if (!same) throw error;
        });
      }),
    ...(await filesOn({ api, ask }, { token, apiRoot })),
    async find(channel, { before, others }) {
      if (before.length === 0) return null;
      const first = Math.max(...before.map(Number)) + 1;
      for (let id = first; id < first + MAX_LOOKS; id += 1) {
        if (others.includes(String(id))) continue;
        if (await ask(() => isOurs(api, channel, id))) return String(id);
      }
      return null;
    },
    remove: (channel, id) => ask(async () => void (await api.deleteMessage(channel, Number(id)))),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await polling;
    },
  };
}

/** Only who sent a message may edit it: an edit that changes nothing tells. Its buttons are set again by the next edit. */
async function isOurs(api: Api, channel: string, id: number): Promise<boolean> {
  try {
    await api.editMessageReplyMarkup(channel, id);
    return true;
  } catch (error) {
    const { error_code, description } = error as Partial<GrammyErrorType>;
    if (error_code !== 400) throw error;
    return /not modified/.test(description ?? "");
  }
}

type Asking = {
  readonly api: Api;
  readonly ask: <Result>(work: () => Promise<Result>) => Promise<Result>;
};
async function filesOn(
  { api, ask }: Asking,
  { token, apiRoot }: Pick<TelegramOptions, "token" | "apiRoot">,
): Promise<Pick<Adapter, "sendFile" | "download">> {
  const { GrammyError, InputFile } = await import("grammy");
  return {
    sendFile: (channel, { name, data }) =>
      ask(async () => {
        const file = () => new InputFile(data, name);
        const sent = await api.sendPhoto(channel, file()).catch((error: unknown) => {
          const odd = error instanceof GrammyError && error.error_code === 400; // too wide, too large
          if (!odd) throw error;
          return api.sendDocument(channel, file());
        });
        return String(sent.message_id);
      }),
    async download({ ref }, signal) {
      const { file_path: path = "" } = await ask(() => api.getFile(ref));
      if (!PATH.test(path))
        throw new PlatformProblem("refused", "Telegram does not say where it is");
      const address = `${apiRoot ?? API}/file/bot${token}/${path}`;
      return download(address, { origins: originsOf(apiRoot, [API]), signal });
    },
  };
}

type Me = { readonly id: number; readonly name: string };
type Polling = {
  readonly handlers: Handlers;
  readonly me: Me;
  readonly signal: AbortSignal;
};

/**
 * Asking for an update confirms all before it: so it asks for the first that is not taken yet, and again and again while
 * there is one. A file that comes slowly keeps up its own chat and no other.
 */
async function poll({ api, ask }: Asking, { handlers, me, signal }: Polling): Promise<void> {
  const open = new Map<number, Promise<unknown> | null>(); // what is not confirmed; null: it is taken
  let offset = 0;
  while (!signal.aborted) {
    try {
      const timeout = open.size > 0 ? 0 : POLL_SECONDS;
      const asked = { offset, timeout, allowed_updates: UPDATES };
      const updates = await ask(() => api.getUpdates(asked, signal as never));
      for (const update of updates) {
        const { update_id } = update;
        if (open.has(update_id)) continue;
        const taking = receive(api, update, { handlers, me });
        open.set(
          update_id,
          taking.then(() => open.set(update_id, null), handlers.lost),
        );
      }
      const pause = delay(LOOK_AGAIN_MS, undefined, { signal });
      await Promise.race([
        Promise.all([...open.values()].filter((taking) => taking !== null)),
        pause,
      ]);
      for (const [id, taking] of open) {
        if (taking) break;
        open.delete(id);
        offset = id + 1;
      }
    } catch (error) {
      if (signal.aborted) return;
      const problem = problemOf(error);
      if (problem.kind !== "unreachable" && problem.kind !== "rate_limited") throw problem;
      await delay(problem.retryMs ?? 1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function receive(api: Api, update: Update, { handlers, me }: Omit<Polling, "signal">) {
  const { message, callback_query: pressed } = update;
  const chat = (message ?? pressed?.message)?.chat as { id?: number } | undefined;
  const said = await handlers.take(String(chat?.id ?? ""), () => read(update, me));
  if (!pressed) return;
  // Only a small notice at the button: who pressed long ago gets an error nobody needs.
  const text = (said ?? "This was not taken.").slice(0, 200);
  await api.answerCallbackQuery(pressed.id, { text }).catch(() => undefined);
}

function read({ message, callback_query: pressed }: Update, me: Me): Received | undefined {
  if (message) {
    const isPerson = message.from && !message.from.is_bot;
    return isPerson ? { message: incoming(message, message.from, me) } : undefined;
  }
  if (!pressed) return undefined;
  const { from, data = "", message: on } = pressed;
  const who = { user_id: String(from.id), user_name: nameOf(from) };
  return { press: { data, channel_id: String(on?.chat.id ?? ""), ...who } };
}

function incoming(message: Message, sender: Sender, me: Me) {
  const { chat, message_id, text = message.caption ?? "" } = message;
  const direct = chat.type === "private";
  const mention = `@${me.name}`.toLowerCase();
  const toUs = message.reply_to_message?.from?.id === me.id || text.toLowerCase().includes(mention);
  return {
    channel_id: String(chat.id),
    user_id: String(sender.id),
    user_name: nameOf(sender),
    message_id: String(message_id),
    files: filesOf(message),
    text: direct ? text : text.replaceAll(new RegExp(mention, "gi"), "").trim(),
    direct,
    addressed: direct || toUs,
  };
}

function filesOf({ photo, document, voice, audio, video, video_note }: Message): IncomingFile[] {
  const files: [sent: Sent | undefined, name: string][] = [
    [photo?.at(-1), "photo.jpg"], // the largest of its sizes
    [document, "document"],
    [voice, "voice.ogg"],
    [audio, "audio.mp3"],
    [video, "video.mp4"],
    [video_note, "video.mp4"],
  ];
  return files.flatMap(([sent, usual]) => {
    if (!sent) return [];
    const { file_id: ref, file_size: bytes, file_name: name = usual } = sent;
    return [{ ref, name, bytes }];
  });
}
type Sent = {
  readonly file_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
};

function nameOf({ first_name, last_name }: Sender): string {
  return [first_name, last_name].filter(Boolean).join(" ");
}

type Entity = { type: "pre"; offset: number; length: number };

/** Offsets count UTF-16 units, as JavaScript does. */
function rendered(blocks: readonly Block[]): { text: string; entities: Entity[] } {
  const entities: Entity[] = [];
  let text = "";
  for (const block of blocks) {
    if (text !== "") text += "\n";
    if (block.kind === "code") {
      entities.push({ type: "pre", offset: text.length, length: block.text.length });
    }
    text += block.text;
  }
  return { text, entities };
}

function shape({ buttons }: Outgoing) {
  const keyboard = buttons.map(({ data, label }) => [{ text: label, callback_data: data }]);
  return {
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: keyboard },
  };
}

function toProblem(error: GrammyErrorType): PlatformProblem {
  const { error_code: code, description, parameters } = error;
  if (code === 401 || code === 404) {
    return new PlatformProblem("unauthorized", "Telegram does not know this token.");
  }
  if (code === 409) {
    const message = "Somebody else reads this bot's messages (another program, or a webhook).";
    return new PlatformProblem("conflict", message);
  }
  if (code === 429) {
    const retryMs = (parameters.retry_after ?? 1) * 1_000;
    return new PlatformProblem("rate_limited", "Telegram wants us to wait.", retryMs);
  }
  if (/message to (edit|delete) not found/.test(description)) {
    return new PlatformProblem("gone", "The message is not there.");
  }
  if (code === 400 || code === 403) return new PlatformProblem("refused", description);
  return new PlatformProblem("unreachable", `Telegram answered ${code}.`);
}
