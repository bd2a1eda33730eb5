// Sends what belongs to no conversation's run: notices, and what schedules deliver to a home channel.
import type { GatewayPost } from "../journal/gateway-store.ts";
import { splitBlocks } from "../protocol/messenger-split.ts";
import { nameOf } from "./follower.ts";
import { posting, type Desk } from "./posting.ts";

export async function deliverWaiting(desk: Omit<Desk, "channelId">): Promise<void> {
  for (const post of await desk.journal.waitingPosts(desk.platform)) await deliverOne(desk, post);
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
  await desk.journal.keepPost(post.message_key, { state: "sent" });
}
