// What one socket was told of one session, so that nothing is told twice on it and an answer is only
// taken for what was asked there.
import type { Socket } from "../../kernel/server/feed/sockets.ts";
import type { Point } from "./reads.ts";

export type Post = {
  /** True when it is on its way, now or before. False: whoever is gone is still owed it. */
  send(messageId: string, point: Point): boolean;
  /** What the person there was asked last, until it is answered. */
  asked: Point | undefined;
  /** The message that was told last of this run. */
  lastOf(runId: string): string | undefined;
  forget(runId: string): void;
  leave(): void;
  readonly closed: boolean;
};

export function postTo(socket: Socket): Post {
  let left = false;
  const emitted = new Map<string, Map<string, number>>(); // newest event by message, by run

  const post: Post = {
    asked: undefined,
    send(messageId, point) {
      const { seq, reply } = point;
      const ofRun = emitted.get(reply.run_id) ?? new Map<string, number>();
      if (seq <= (ofRun.get(messageId) ?? 0)) return true;
      if (post.closed) return false;
      socket.send({ ...reply, message_id: messageId });
      emitted.set(reply.run_id, ofRun.set(messageId, seq));
      if (reply.request_id !== undefined) post.asked = point;
      else if (post.asked?.reply.run_id === reply.run_id) post.asked = undefined;
      return !post.closed;
    },
    lastOf: (runId) => [...(emitted.get(runId)?.keys() ?? [])].at(-1),
    forget: (runId) => void emitted.delete(runId),
    leave: () => void (left = true),
    get closed() {
      return left || socket.gone.aborted || socket.subscriber.closed;
    },
  };
  return post;
}
