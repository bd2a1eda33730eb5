// A local Telegram Bot API: long polling, messages with a ledger of everything that was sent or edited, buttons.
// Shares no code with ours.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formOf } from "../../form.ts";

export const TELEGRAM_TOKEN = "4242:telegram-token-that-stays-secret";

export type Sent = {
  readonly id: number;
  readonly chat: string;
  text: string;
  entities: readonly { type: string; offset: number; length: number }[];
  keyboard: readonly { text: string; callback_data: string }[];
  readonly edits: string[]; // every text it had, the first included
  deleted: boolean;
};
type Placed = Pick<Sent, "id" | "chat" | "text" | "keyboard"> & { readonly deleted?: boolean };
type Fields = Record<string, unknown>;
export type Rule = (method: string, fields: Fields) => { status: number; body: Fields } | undefined;

type File = {
  readonly kind: "photo" | "document" | "voice" | "audio";
  readonly data: Buffer;
  readonly name?: string;
  readonly size?: number; // the declared size, if it differs from the real one
  readonly path?: string;
};
type Speaking = {
  user?: number;
  name?: string;
  chat?: number;
  type?: string;
  id?: number;
  file?: File;
};

export async function fakeTelegram() {
  const messages: Sent[] = [];
  const kept = new Map<string, File>(); // by file_id
  const fetched: string[] = []; // paths below /file/bot<token>/
  const files: Placed[] = []; // messages without a text
  const pictures: { chat: string; method: string; data: Buffer }[] = [];
  const answers: { id: string; text: string }[] = [];
  const calls: { method: string; fields: Fields }[] = [];
  let updates: (Fields & { update_id: number })[] = [];
  let nextUpdate = 100;
  let nextMessage = 1_000;
  let waiting: (() => void)[] = [];
  let rule: Rule = () => undefined;
  let slowly: Promise<unknown> = Promise.resolve();
  const blocked = new Set<string>();
  const heard = new Set<string>(); // messages of people, which only they can edit
  /** Called after a message was accepted, before it is answered. */
  let accepted: (sent: Placed) => Promise<void> | void = () => undefined;

  function push(update: Fields): number {
    updates.push({ ...update, update_id: nextUpdate });
    for (const wake of waiting.splice(0)) wake();
    return nextUpdate++;
  }
  const methods: Record<string, (fields: Fields) => unknown> = {
    getMe: () => ({ id: 4242, is_bot: true, first_name: "Deck", username: "deck_bot" }),
    getUpdates: async ({ offset = 0, timeout = 0 }) => {
      updates = updates.filter(({ update_id }) => update_id >= Number(offset));
      if (updates.length === 0) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          setTimeout(resolve, Number(timeout) * 1_000).unref();
        });
      }
      return updates;
    },
    sendMessage: async (fields) => {
      if (blocked.has(String(fields["chat_id"])))
        throw new Refused(403, "Forbidden: bot was blocked by the user");
      const sent: Sent = {
        id: nextMessage++,
        chat: String(fields["chat_id"]),
        ...contentOf(fields),
        edits: [String(fields["text"])],
        deleted: false,
      };
      messages.push(sent);
      await accepted(sent);
      return { message_id: sent.id, chat: { id: Number(sent.chat) }, text: sent.text };
    },
    editMessageText: (fields) => {
      const sent = messages.find(({ id }) => id === fields["message_id"]);
      if (!sent || sent.deleted) throw new Refused(400, "Bad Request: message to edit not found");
      const next = contentOf(fields);
      const same =
        JSON.stringify([sent.text, sent.keyboard]) === JSON.stringify([next.text, next.keyboard]);
      if (same) throw new Refused(400, "Bad Request: message is not modified");
      Object.assign(sent, next);
      sent.edits.push(sent.text);
      return { message_id: sent.id };
    },
    editMessageReplyMarkup: (fields) => {
      const { chat_id, message_id } = fields;
      const sent: Placed | undefined = [...messages, ...files].find(
        ({ id, chat }) => id === message_id && chat === String(chat_id),
      );
      if (!sent && heard.has(`${String(chat_id)}:${String(message_id)}`))
        throw new Refused(400, "Bad Request: message can't be edited");
      if (!sent || sent.deleted) throw new Refused(400, "Bad Request: message to edit not found");
      const { keyboard } = contentOf(fields);
      if (JSON.stringify(keyboard) === JSON.stringify(sent.keyboard))
        throw new Refused(400, "Bad Request: message is not modified");
      sent.keyboard = keyboard;
      return { message_id: sent.id };
    },
    deleteMessage: (fields) => {
      const sent = messages.find(({ id }) => id === fields["message_id"]);
      if (sent) sent.deleted = true;
      return true;
    },
    getFile: ({ file_id }) => {
      const file = kept.get(String(file_id));
      if (!file) throw new Refused(400, "Bad Request: invalid file_id");
      if (file.data.length > 20 * 1_024 * 1_024)
        throw new Refused(400, "Bad Request: file is too big");
      const file_path = file.path ?? `${file.kind}s/${String(file_id)}.bin`;
      return { file_id, file_unique_id: "u", file_size: file.data.length, file_path };
    },
    sendPhoto: (fields) => picture("sendPhoto", fields),
    sendDocument: (fields) => picture("sendDocument", fields),
    answerCallbackQuery: (fields) => {
      answers.push({ id: String(fields["callback_query_id"]), text: String(fields["text"]) });
      return true;
    },
  };
  async function picture(method: string, fields: Fields) {
    const data = Object.values(fields).find((value) => Buffer.isBuffer(value)) as Buffer;
    pictures.push({ chat: String(fields["chat_id"]), method, data });
    const chat = String(fields["chat_id"]);
    const sent = { id: nextMessage++, chat, text: "", keyboard: [] };
    files.push(sent);
    await accepted(sent);
    return { message_id: sent.id };
  }
  async function fetchFile(path: string, response: ServerResponse): Promise<void> {
    fetched.push(path);
    await slowly;
    const found = [...kept].find(([id, { kind }]) => path === `${kind}s/${id}.bin`)?.[1];
    response.writeHead(found ? 200 : 404).end(found?.data);
  }
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = request.url?.split(`/file/bot${TELEGRAM_TOKEN}/`)[1];
    if (file !== undefined) return fetchFile(file, response);
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? "") ?? [];
    const fields = await bodyOf(request);
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (token !== TELEGRAM_TOKEN) return answer(401, refusal(401, "Unauthorized"));
    calls.push({ method, fields });
    const ruled = rule(method, fields);
    if (ruled) return answer(ruled.status, ruled.body);
    const text = fields["text"];
    if (typeof text === "string" && text.length > 4_096) {
      return answer(400, refusal(400, "Bad Request: message is too long"));
    }
    try {
      answer(200, { ok: true, result: await methods[method]?.(fields) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      answer(error.code, refusal(error.code, error.message));
    }
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    answers,
    calls,
    fetched,
    pictures,
    in: (chat: number) => messages.filter((sent) => sent.chat === String(chat) && !sent.deleted),
    rule(next: Rule) {
      rule = next;
    },
    /** Downloads wait until it settles. */
    holdFiles(until: Promise<unknown>) {
      slowly = until;
    },
    /** A person blocks the bot. */
    block: (chat: number) => blocked.add(String(chat)),
    onAccepted(next: typeof accepted) {
      accepted = next;
    },
    /** A person writes; returns the update's id. */
    say(
      text: string,
      { user = 7, name = "Ann", chat, type = "private", id = nextMessage++, file }: Speaking = {},
    ) {
      const from = { id: user, is_bot: false, first_name: name };
      const said = file ? { caption: text, ...sentFile(kept, file) } : { text };
      const message = { message_id: id, from, chat: { id: chat ?? user, type }, date: 0, ...said };
      heard.add(`${chat ?? user}:${id}`);
      return push({ message });
    },
    press(on: Sent, label: string, { user = 7, name = "Ann", chat = Number(on.chat) } = {}) {
      const button = on.keyboard.find(({ text }) => text === label);
      const from = { id: user, is_bot: false, first_name: name };
      const message = { message_id: on.id, chat: { id: chat, type: "private" }, date: 0 };
      const query = { id: `cb${nextUpdate}`, from, message, data: button?.callback_data ?? label };
      return push({ callback_query: query });
    },
    again: (update: Fields) => push(update),
    async [Symbol.asyncDispose]() {
      for (const wake of waiting.splice(0)) wake();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type FakeTelegram = Awaited<ReturnType<typeof fakeTelegram>>;

/** A photo comes in several sizes, the largest last. */
function sentFile(kept: Map<string, File>, file: File): Fields {
  const file_id = `file${kept.size}`;
  kept.set(file_id, file);
  const size = { file_size: file.size ?? file.data.length };
  const one = { file_id, ...size, ...(file.name !== undefined && { file_name: file.name }) };
  return { [file.kind]: file.kind === "photo" ? [{ file_id: "small", file_size: 1 }, one] : one };
}

class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
function refusal(error_code: number, description: string, parameters?: object) {
  return { ok: false, error_code, description, ...(parameters && { parameters }) };
}

export function tooMany(retry_after: number): { status: number; body: Fields } {
  const description = `Too Many Requests: retry after ${retry_after}`;
  return { status: 429, body: refusal(429, description, { retry_after }) };
}

function contentOf(fields: Fields): Pick<Sent, "text" | "entities" | "keyboard"> {
  const markup = fields["reply_markup"] as { inline_keyboard?: Sent["keyboard"][] } | undefined;
  return {
    text: String(fields["text"]),
    entities: (fields["entities"] ?? []) as Sent["entities"],
    keyboard: (markup?.inline_keyboard ?? []).flat(),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/")) return formOf(body, type);
  const text = body.toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Fields);
}
