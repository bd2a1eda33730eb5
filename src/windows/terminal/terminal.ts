// The terminal channel: text-only devices on a WebSocket, one session per peer. Nothing is remembered
// here but who is connected: what was taken and what is owed is in the journal, so a device may come back
// to any server, after any crash.
import { hash } from "node:crypto";
import type { FastifyError } from "fastify";
import type { ChannelTaken, Defaults } from "../../kernel/journal/journal.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import {
  CONNECT_FIRST,
  parseDeviceFrame,
  type DeviceConnect,
  type DeviceMessage,
} from "./wire/frames.ts";
import { channelSession } from "../../kernel/dialect/channel-session.ts";
import { toErrorResponse } from "../../kernel/server/error-response.ts";
import type { AppDeps, DeviceChannel } from "../../kernel/server/app.ts";
import { checkToken } from "../../kernel/server/auth.ts";
import { defaultsFor } from "../../kernel/server/defaults.ts";
import type { Socket, SocketRequest } from "../../kernel/server/feed/sockets.ts";
import type { Room } from "../../kernel/server/room.ts";
import { follow, type Following } from "./following.ts";
import { cachedReply } from "./reads.ts";

const MAX_THREADS = 64; // that one socket can be in

/** One route per channel: a handshake for any other is refused with 404. */
export const terminalWindow: Room = (deps) => ({
  sockets: (deps.channels ?? []).map((channel) => ({
    path: `/api/channels/${channel.id}/ws`,
    auth: "frame",
    open: (socket, request) => converse(deps, channel, { socket, request }),
  })),
});

type Peer = { readonly socket: Socket; readonly request: SocketRequest };

function converse(deps: AppDeps, channel: DeviceChannel, { socket, request }: Peer) {
  const proof = prover(deps, { socket, request });
  const inTurn = turns((error) => {
    deps.logError(error);
    socket.close(1011, "internal error");
  });
  const threads = threadsOf((sessionId) => follow(deps, sessionId, { socket, inTurn }));
  let device: DeviceConnect | undefined;

  /** Once more, as the same or as another: what is owed to the former stays with its session. */
  async function connect(asking: DeviceConnect): Promise<void> {
    proof.check(asking.token);
    device = asking;
    const sessionId = sessionOf(channel, device, asking);
    // A thread's reply has nowhere else to go: who comes back need not name it.
    const owed = await deps.journal.reads.unrepliedUnder(sessionId, MAX_THREADS - 1);
    threads.leaveAllBut([sessionId, ...owed]);
    socket.send({ type: "connected", channel_id: channel.id, session_id: sessionId });
    await threads.in(sessionId);
    for (const id of owed) await threads.in(id).catch(complain);
  }

  function complain(error: unknown): void {
    socket.send(failureFrame(error));
  }

  async function message(sent: DeviceMessage): Promise<void> {
    if (!device) throw new ApiError("invalid_request", CONNECT_FIRST);
    const sessionId = sessionOf(channel, device, sent);
    const thread = await threads.in(sessionId);
    const known = await deps.journal.reads.channelMessage(sessionId, sent.messageId);
    const refused = known ? undefined : await thread.refusal(sent.answers);
    if (refused) return socket.send({ ...errorFrame(refused.error, sent.messageId), ...refused });
    const answers = sent.answers === undefined ? thread.asked() : sent.answers;
    const taken = await take(deps, channel, { device, sent, sessionId, answers });
    socket.send(await acknowledgement(deps, taken));
    if (!taken.duplicate) await thread.took(taken.message);
  }

  async function receive(text: string): Promise<void> {
    const frame = parseDeviceFrame(text);
    if (frame.type === "ping") return socket.send({ type: "pong" });
    const messageId = frame.type === "message" ? frame.message.messageId : undefined;
    try {
      if (frame.type === "connect") await connect(frame.connect);
      else if (frame.type === "message") await message(frame.message);
      else socket.send(errorFrame(frame.error, frame.messageId));
    } catch (error) {
      socket.send(failureFrame(error, messageId));
    }
  }

  return (text: string) => inTurn(() => receive(text));
}

function sessionOf(
  channel: DeviceChannel,
  device: DeviceConnect,
  { userId = device.userId, threadId = device.threadId }: Partial<DeviceConnect | DeviceMessage>,
): string {
  const identity = { peerId: device.peerId, userId, threadId };
  return channelSession(channel.id, identity, (text) => hash("sha256", text, "base64url"));
}

/** The sessions one socket is in: the peer's, and those of threads it has written to or is owed in. */
function threadsOf(open: (sessionId: string) => Following) {
  const followed = new Map<string, Following>();
  return {
    async in(sessionId: string): Promise<Following> {
      const known = followed.get(sessionId);
      if (known) return known;
      if (followed.size >= MAX_THREADS) {
        throw new ApiError("invalid_request", `At most ${MAX_THREADS} threads per connection.`);
      }
      const fresh = open(sessionId);
      try {
        await fresh.begin();
      } catch (error) {
        fresh.leave();
        throw error;
      }
      followed.set(sessionId, fresh);
      return fresh;
    },
    leaveAllBut(kept: readonly string[]): void {
      for (const [id, former] of followed) {
        if (kept.includes(id)) continue;
        former.leave();
        followed.delete(id);
      }
    },
  };
}

type Taking = {
  readonly device: DeviceConnect;
  readonly sent: DeviceMessage;
  readonly sessionId: string;
  readonly answers: string | null;
};

/** What a device's words become: a run, an answer, or nothing new. */
async function take(
  deps: AppDeps,
  channel: DeviceChannel,
  { device, sent, sessionId, answers }: Taking,
): Promise<ChannelTaken> {
  const { peerId, deviceName } = device;
  const metadata = {
    channel_id: channel.id,
    peer_id: peerId,
    ...(deviceName !== undefined && { device_name: deviceName.slice(0, MAX_TITLE) }),
  };
  const command = {
    session_id: sessionId,
    message_id: sent.messageId,
    text: sent.text,
    source: "terminal",
    metadata,
    answers,
    ...(deviceName !== undefined && { title: deviceName.slice(0, MAX_TITLE) }),
  };
  return deps.journal.commands.takeChannelMessage(command, await defaultsOf(deps, channel));
}
const MAX_TITLE = 200;

async function defaultsOf(
  deps: AppDeps,
  { profile, model, workspace }: DeviceChannel,
): Promise<Defaults> {
  const defaults = await defaultsFor(deps, profile);
  return {
    ...defaults,
    ...(profile !== undefined && { profile }),
    ...(model !== undefined && { model }),
    ...(workspace !== undefined && { workspace }),
  };
}

async function acknowledgement(
  { journal }: AppDeps,
  { duplicate, sameText, message }: ChannelTaken,
): Promise<object> {
  const { message_id, session_id } = message;
  const ack = { type: "ack", message_id, session_id };
  if (!duplicate) return { ...ack, accepted: true };
  const reply = await cachedReply(journal, message);
  const problem = `message_id ${message_id} was used before with another text. Nothing was taken.`;
  return {
    ...ack,
    accepted: false,
    duplicate: true,
    pending: reply === undefined,
    ...(reply && { reply: reply.text }),
    ...(reply?.request_id !== undefined && { request_id: reply.request_id }),
    ...(!sameText && { error: problem }),
  };
}

/** Who brought no token with the handshake has to bring it with `connect`. */
function prover({ auth }: AppDeps, { socket, request }: Peer) {
  let proven = request.authenticated;
  return {
    check(token: string | undefined): void {
      if (proven) return;
      if (token === undefined) throw new ApiError("unauthorized", NO_TOKEN);
      checkToken(token, request.ip, auth);
      proven = true;
      socket.proven();
    },
  };
}
const NO_TOKEN = "A token is needed: in the Authorization header, or as `token` in connect.";

/** One piece of work after the other; the result of each is its own. */
function turns(failed: (error: unknown) => void) {
  let last: Promise<void> = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch(failed);
    return last;
  };
}

function errorFrame(error: string, messageId?: string): object {
  return { type: "error", error, ...(messageId !== undefined && { message_id: messageId }) };
}

/** What a device may be told; anything unexpected is not for its ears. The code is for clients of ours. */
function failureFrame(error: unknown, messageId?: string): object {
  const { code, envelope } = toErrorResponse(error as FastifyError);
  if (code === "internal") throw error;
  return { ...errorFrame(envelope.error.message, messageId), code };
}
