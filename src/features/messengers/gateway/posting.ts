// Brings one message of a messenger to what it should show. Its row is in the journal before it is sent and has its id
// afterwards; in between, whoever comes after a crash asks the platform where it can be asked.
import { hash } from "node:crypto";
import type { GatewayStore } from "../store/messengers.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { Ask, Block } from "../labels.ts";
import type { Picture } from "../../../kernel/state/tool-pictures.ts";
import { PlatformProblem, problemOf, type Adapter, type Outgoing } from "./adapter.ts";
import { buttonsOf } from "./press.ts";

export type Shown = {
  readonly part: string;
  readonly runId: string | null;
  readonly blocks: readonly Block[];
  readonly ask: Ask | null;
  readonly final: boolean;
  readonly picture?: Picture; // sent once, instead of blocks
};

export type Desk = {
  readonly journal: Journal;
  readonly store: GatewayStore;
  readonly adapter: Adapter;
  readonly platform: string;
  readonly channelId: string;
  readonly holder: string;
  readonly logError: (message: string, error: unknown) => void;
};

/** Another gateway holds the platform now. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

type Known = {
  key: number;
  id: string | null;
  hash: string;
  at: number;
  dead: boolean;
  /** It may have been sent before, with other words. */
  unsure: boolean;
};

export type Posting = {
  /** Milliseconds until it may be edited again; 0 when it shows what it should. */
  show(shown: Shown): Promise<number>;
  /** Takes back what is no longer part of a text that became shorter. */
  withdraw(part: string): Promise<void>;
};

export function posting(desk: Desk): Posting {
  const { store, adapter, platform, channelId } = desk;
  const known = new Map<string, Known>();

  async function open(shown: Shown): Promise<Known> {
    const before = known.get(shown.part);
    if (before) return before;
    const { part, runId: run_id, ask } = shown;
    const request = ask && {
      request_id: ask.requestId,
      run_id: ask.runId,
      kind: ask.kind,
      plan_hash: ask.planHash,
      choices: ask.choices.map(({ choice }) => choice),
    };
    const post = { platform, channel_id: channelId, part, run_id, request };
    const opened = await store.openPost(post, desk.holder);
    if (!opened) throw new LeaseLost(`${platform} is held by another gateway`);
    const { message_key: key, platform_message_id: id, content_hash, state } = opened.post;
    // Sent by whoever came before us, perhaps.
    const unsure = !opened.fresh && id === null;
    const row = { key, id, hash: content_hash, at: 0, dead: state === "failed", unsure };
    known.set(part, row);
    return row;
  }

  /** Its part may be said anew, by a message of its own: a name that was used means the message that is gone. */
  async function retire(part: string, key: number): Promise<void> {
    await store.retirePost(key);
    known.delete(part);
  }

  return {
    async show(shown) {
      const { editMs } = adapter.limits;
      const isDue = shown.final || shown.ask !== null;
      if (editMs === null && !isDue) return 0;
      const row = await open(shown);
      const content = shown.picture?.sha256 ?? hashOf(shown);
      if (row.hash === content || row.dead) return 0;
      const wait = row.id === null || isDue ? 0 : row.at + (editMs ?? 0) - performance.now();
      if (wait > 0) return wait;
      if ((await put(desk, row, { shown, content })) === "done") return 0;
      await retire(shown.part, row.key); // somebody deleted it: what is new is said anew
      return this.show(shown);
    },
    async withdraw(part) {
      const row = await store.gatewayPostOf(platform, channelId, part);
      if (!row) return;
      const id = row.platform_message_id ?? (await found(desk, row.message_key));
      if (id !== null) {
        await adapter.remove(channelId, id).catch((error: unknown) => {
          const problem = problemOf(error);
          if (problem.kind !== "gone" && problem.kind !== "refused") throw problem;
        });
      }
      await retire(part, row.message_key);
    },
  };
}

async function found(
  { journal, store, adapter, channelId }: Desk,
  key: number,
): Promise<string | null> {
  if (!adapter.find) return null;
  const sought = { nonce: nonceOf(journal, key), ...(await store.messagesAround(key)) };
  return adapter.find(channelId, sought);
}

type Wanted = { readonly shown: Shown; readonly content: string };

async function put(desk: Desk, row: Known, { shown, content }: Wanted): Promise<"done" | "gone"> {
  const { journal, store, adapter, channelId } = desk;
  const { key } = row;
  const buttons = buttonsOf(key, shown.ask);
  const outgoing: Outgoing = { nonce: nonceOf(journal, key), blocks: shown.blocks, buttons };
  try {
    if (row.id === null && row.unsure) row.id = await found(desk, key);
    const isNew = row.id === null;
    row.id ??= shown.picture
      ? await sendPicture(desk, outgoing.nonce, shown.picture)
      : await adapter.send(channelId, outgoing);
    // A platform that knows the message answers with it as it was.
    const mayDiffer = !shown.picture && (!isNew || row.unsure);
    if (mayDiffer) await adapter.edit(channelId, row.id, outgoing);
    row.unsure = false;
  } catch (error) {
    const problem = problemOf(error);
    row.unsure ||= problem.kind === "unreachable";
    if (problem.kind === "gone" && row.id !== null) return "gone";
    if (problem.kind !== "refused" && problem.kind !== "gone") throw problem;
    row.dead = true;
    await store.keepPost(key, { state: "failed", problem: problem.message });
    return "done";
  }
  [row.hash, row.at] = [content, performance.now()];
  const sent = { platform_message_id: row.id, content_hash: content };
  await store.keepPost(key, { state: "sent", ...sent });
  return "done";
}

async function sendPicture(desk: Desk, nonce: string, picture: Picture): Promise<string> {
  const { journal, adapter, channelId } = desk;
  const { sha256, name, media_type: mediaType } = picture;
  if (!adapter.sendFile) throw new PlatformProblem("refused", "Pictures cannot be sent there.");
  if ((await journal.blobs.size(sha256)) === undefined) {
    throw new PlatformProblem("refused", "The picture is no longer here.");
  }
  const chunks = await Array.fromAsync(journal.blobs.read(sha256) as AsyncIterable<Buffer>);
  return adapter.sendFile(channelId, { nonce, name, mediaType, data: Buffer.concat(chunks) });
}

function hashOf({ blocks, ask }: Shown): string {
  return hash("sha256", JSON.stringify([blocks, ask?.choices ?? []]));
}

/** The same for the same row, another in another journal: at most 25 characters (Discord). */
export function nonceOf({ epoch }: Pick<Journal, "epoch">, key: number): string {
  return `${hash("sha256", epoch).slice(0, 10)}-${key.toString(36)}`;
}
