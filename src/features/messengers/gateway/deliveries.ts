// Sends what belongs to no conversation's run: notices, codes for strangers, and what schedules deliver to a home channel.
import type { GatewayPost } from "../store/messengers.ts";
import { splitBlocks } from "../split.ts";
import { hashOfCode, shownCode } from "./codes.ts";
import { nameOf } from "./follower.ts";
import { posting, type Desk } from "./posting.ts";

export async function deliverWaiting(desk: Omit<Desk, "channelId">): Promise<void> {
  for (const post of await desk.store.waitingPosts(desk.platform)) await deliverOne(desk, post);
}

/** The row that waits has the text; its pieces are rows of their own, and it is done when they are sent. */
async function deliverOne(desk: Omit<Desk, "channelId">, post: GatewayPost): Promise<void> {
  const posts = posting({ ...desk, channelId: post.channel_id });
  const text = post.body ?? "";
  const pieces = splitBlocks([{ kind: "text", text }], desk.adapter.limits.length);
  for (const [index, blocks] of pieces.entries()) {
    const part = `piece:${nameOf(post.part, index)}`;
    await posts.show({ part, runId: null, blocks, ask: null, final: true });
  }
  await desk.store.keepPost(post.message_key, { state: "sent" });
}

export type PairingCode = {
  readonly channel_id: string;
  readonly user_id: string;
  readonly code: string;
};

/** One whom the platform does not let us reach is counted as undelivered; one we have to wait with stays in the list. */
export async function deliverCodes(
  desk: Omit<Desk, "channelId">,
  codes: PairingCode[],
): Promise<void> {
  for (let next = codes[0]; next; next = codes[0]) {
    const { channel_id, user_id, code } = next;
    const posts = posting({ ...desk, channelId: channel_id });
    const part = `code:${hashOfCode(desk.platform, code).slice(0, 32)}`;
    const blocks = [{ kind: "text", text: pairText(code) } as const];
    await posts.show({ part, runId: null, blocks, ask: null, final: true });
    await desk.store.pairingSent(desk.platform, user_id);
    codes.shift();
  }
}

function pairText(code: string): string {
  return `I do not know you yet. Give this code to the person who runs me: ${shownCode(code)}\nIt is good for five minutes.`;
}
