// What becomes of a message from a messenger: a run, an answer, a code for somebody unknown, or nothing. Whatever it
// becomes is in the journal before anybody is told that it was taken.
import { hash } from "node:crypto";
import type { Attachment } from "../../../kernel/events/catalogue/lifecycle.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { answerOf } from "../../../kernel/journal/admit/channel-answers.ts";
import type { GatewayStore } from "../store/messengers.ts";
import type { Defaults, Journal } from "../../../kernel/journal/journal.ts";
import type { Incoming } from "./adapter.ts";
import { hashOfCode, newCode } from "./codes.ts";
import type { Fetched } from "./fetch-files.ts";
import { isOnlyOne, mayDecide } from "./may-decide.ts";
import { segment } from "../../../kernel/dialect/channel-session.ts";

export type Admission = {
  readonly journal: Journal;
  readonly store: GatewayStore;
  readonly defaults: () => Promise<Defaults>;
  /** Left out where messages have no files. */
  readonly fetchFiles?: (files: NonNullable<Incoming["files"]>) => Promise<Fetched>;
};

/** `pair`: a code to be told, once. */
export type Admitted =
  | { readonly kind: "taken"; readonly session_id: string; readonly duplicate: boolean }
  | { readonly kind: "pair"; readonly code: string }
  | { readonly kind: "ignored" };

const IGNORED = { kind: "ignored" } as const;
const MAX_TEXT = 131_072;

export async function admit(
  deps: Admission,
  platform: string,
  incoming: Incoming,
): Promise<Admitted> {
  const { store } = deps;
  const { channel_id, user_id, user_name, direct, addressed } = incoming;
  if (!(await store.isGatewayUser(platform, user_id))) {
    const settings = await store.gatewayPlatform(platform);
    // What was written by somebody who may not talk is not taken later, when they may.
    if (direct) await store.heardUpTo(sessionOf(platform, channel_id), incoming.message_id);
    if (!direct || (settings?.mode ?? "pair") !== "pair") return IGNORED;
    const code = newCode();
    const person = { platform, user_id, user_name: user_name.slice(0, 200), channel_id };
    const asked = await store.askPairing(person, hashOfCode(platform, code));
    return asked === "asked" ? { kind: "pair", code } : IGNORED;
  }
  if (!direct && !addressed) return IGNORED;
  const session_id = sessionOf(platform, channel_id);
  const message_id = messageKey(incoming.message_id);
  const said = { platform, session_id, message_id, incoming };
  const command = COMMANDS.get(incoming.text.trim().split(/[\s@]/, 1)[0]?.toLowerCase() ?? "");
  await store.openConversation({
    session_id,
    platform,
    channel_id,
    last_user_id: user_id,
    last_message_id: incoming.before ?? "",
  });
  const emitted = await store.gatewayPostOf(platform, channel_id, `delivery:${noticeOf(said)}`);
  // What was said about it stands: a `/home` or a refused message that comes again is not tried again.
  const duplicate = emitted !== undefined || (await (command ?? take)(deps, said));
  await store.heardUpTo(session_id, incoming.message_id);
  return { kind: "taken", session_id, duplicate };
}

type Said = {
  readonly platform: string;
  readonly session_id: string;
  readonly message_id: string;
  readonly incoming: Incoming;
};
type Taking = (admission: Admission, said: Said) => Promise<boolean>;

/** What a messenger can do beside talking. */
const COMMANDS: ReadonlyMap<string, Taking> = new Map<string, Taking>([
  ["/start", (deps, said) => notice(deps, said, HELLO)],
  ["/help", (deps, said) => notice(deps, said, HELLO)],
  ["/stop", stop],
  ["/home", setHome],
]);
const HELLO =
  "Write what you want done. /stop stops what is running, /retry asks the newest message again, /undo leaves it out, /compress and /goal work as well; /home makes this the channel for what nobody asked for, if there is none yet.";

const take: Taking = async (deps, said) => {
  const { journal, store, defaults } = deps;
  const { platform, session_id, message_id, incoming } = said;
  if (await journal.reads.channelMessage(session_id, message_id)) return true;
  const { attachments, missing } = await filesOf(deps, said);
  // In groups a command names the bot it is for: "/retry@name".
  const written = incoming.text.slice(0, MAX_TEXT).replace(/^(\s*\/[a-z]+)@\S+/i, "$1");
  const isMute = written.trim() === "";
  const kept = attachments.filter(({ sha256 }) => sha256 !== undefined);
  if (isMute && kept.length === 0) {
    return missing.length > 0 ? false : notice(deps, said, "Only text and files are read here.");
  }
  const { user_id, user_name, channel_id } = incoming;
  const waiting = isMute ? [] : await journal.reads.pending({ sessionId: session_id });
  const decides = await mayDecide(store, platform, user_id);
  const theirs = waiting.filter(({ kind }) => decides || kind === "clarify");
  const answers = await shownOf(store, said, theirs);
  try {
    const { duplicate, message } = await journal.commands.takeChannelMessage(
      {
        session_id,
        message_id,
        text: isMute ? wordless(kept) : written,
        ...(attachments.length > 0 && { attachments: [...attachments] }),
        source: platform,
        title: `${user_name || user_id} (${platform})`.slice(0, 200),
        metadata: { channel_id, user_id, user_name: user_name.slice(0, 200) },
        by: actorOf(platform, incoming),
        answers,
        unanswered: "queue",
      },
      await defaults(),
    );
    if (!duplicate && message.after_seq === 0) await remindOf(deps, said, message.run_id);
    if (!duplicate && message.after_seq > 0 && kept.length > 0) await notice(deps, said, ANSWERED);
    return duplicate;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "internal") throw error;
    return notice(deps, said, `This was not taken: ${error.message}`);
  }
};
const ANSWERED = "An answer is text: the file that came with it was not read. Send it once more.";

/** Fetched only for people who may talk. What is missing is said before the message is taken: a kill in between repeats both. */
async function filesOf({ store, fetchFiles }: Admission, said: Said): Promise<Fetched> {
  const { platform, incoming, message_id } = said;
  const { files = [], channel_id } = incoming;
  if (files.length === 0 || !fetchFiles) return { attachments: [], missing: [] };
  const fetched = await fetchFiles(files);
  const text = fetched.missing.join(" ");
  if (text !== "") await store.deliver({ platform, channel_id, id: `files:${message_id}`, text });
  return fetched;
}

function wordless(files: readonly Attachment[]): string {
  return `(sent without a text: ${files.map(({ name }) => name).join(", ")})`;
}

type Pending = Awaited<ReturnType<Journal["reads"]["pending"]>>;

/** The oldest request that was shown there: a yes to what nobody saw is no yes, nor one that no button offers. */
async function shownOf(store: GatewayStore, { platform, incoming }: Said, waiting: Pending) {
  for (const { request_id } of waiting) {
    const post = await store.gatewayPostOf(platform, incoming.channel_id, `ask:${request_id}`);
    if (post?.platform_message_id == null) continue;
    const { kind, choices } = post.request ?? { kind: "clarify", choices: [] };
    if (kind === "clarify") return request_id;
    const always = choices.includes("always") ? "" : null;
    return answerOf({ kind, choices, always }, incoming.text) ? request_id : null;
  }
  return null;
}

/** A new run comes after what waits, unless it is a command's and over already. */
async function remindOf({ journal, store }: Admission, said: Said, runId: string): Promise<void> {
  if ((await journal.reads.run(runId))?.ended_at !== null) return;
  const waiting = await journal.reads.pending({ sessionId: said.session_id });
  if (waiting.length > 0) await notice({ store }, said, WAITS);
}
const WAITS =
  "Something waits for an answer first: press one of its buttons, or reply with “yes” or “no” or what is asked for. What you wrote comes after it.";

async function stop({ journal, store }: Admission, said: Said): Promise<boolean> {
  const reason = `by ${actorOf(said.platform, said.incoming)}`;
  const command = { reason, command_id: `messenger:${said.message_id}` };
  // By the message: one that is sent to us again means what was running then (G3).
  const outcome = await journal.commands.stopActive(said.session_id, command);
  if (!outcome?.run_id) return notice({ store }, said, "Nothing is running.");
  return false;
}

/** It sets the first one and moves none: where the owner's answers go is decided by the owner. */
async function setHome({ store }: Admission, said: Said): Promise<boolean> {
  const { platform, incoming } = said;
  const { channel_id, user_id, direct } = incoming;
  const home = (await store.gatewayPlatform(platform))?.home_channel ?? channel_id;
  const may = direct && home === channel_id && (await isOnlyOne(store, platform, user_id));
  if (!may) return notice({ store }, said, `${SET_ON_PAGE} ${channel_id}`);
  const about = { by: actorOf(platform, incoming), secrets: [] };
  await store.setGatewayPlatform(platform, { home_channel: channel_id }, about);
  return notice({ store }, said, "What nobody asked for comes here from now on.");
}
const SET_ON_PAGE =
  "The home channel is set on the page Messengers, by the person who runs me. This channel is:";

/** Through the outbox: once per message, also when it is sent to us again. */
async function notice(
  { store }: Pick<Admission, "store">,
  said: Said,
  text: string,
): Promise<boolean> {
  const { platform, incoming } = said;
  const { channel_id } = incoming;
  await store.deliver({ platform, channel_id, id: noticeOf(said), text });
  return false;
}

const noticeOf = ({ message_id }: Said) => `notice:${message_id}`;

export function actorOf(
  platform: string,
  { user_id, user_name }: Pick<Incoming, "user_id" | "user_name">,
): string {
  const name = user_name.replaceAll(/[()]/g, "").trim();
  return `${platform} ${user_id}${name === "" ? "" : ` (${name})`}`.slice(0, 300);
}

// Which session a channel of a messenger is: `<platform>:<channel>`.
const MAX = 128;

function sessionOf(platform: string, channelId: string): string {
  const id = `${platform}:${segment(channelId)}`;
  return id.length <= MAX ? id : `${platform}:@@${hash("sha256", channelId, "base64url")}`;
}

/** A message's id as the journal takes it: visible ASCII, at most 255. */
function messageKey(id: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(id) ? id : `@${hash("sha256", id, "base64url")}`;
}
