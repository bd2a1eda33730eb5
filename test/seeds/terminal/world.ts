// What the rows of the terminal channel look at: devices that talk to one real program, which is killed once,
// and the product's own device, which talks to a server written from the document.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { SEED } from "../../e2e/terminal/seed.ts";
import { newTestHome, startProgram, type Program } from "../../support/program.ts";
import {
  openDevice,
  type Device,
  type DeviceFrame,
} from "../../support/windows/terminal-device.ts";
import { until } from "../../support/until.ts";
import { ownDevice, type OwnDevice } from "./own.ts";
import { playScript, type Situations } from "./script.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Frames by what a row is about. */
type Heard = Readonly<Record<string, readonly DeviceFrame[]>>;

export type World = AsyncDisposable & {
  readonly program: Program;
  readonly heard: Heard;
  readonly elsewhere: number; // status of a handshake at `/ws/<session>`
  readonly otherChannel: number;
  readonly oversized: number; // what a connection is closed with
  readonly binary: number;
  readonly device: OwnDevice;
  readonly driven: Situations; // of the same device
};

export const channelOf = ({ url }: Program, token?: string) =>
  `${url.replace("http://", token === undefined ? "ws://" : `ws://device:${token}@`)}/api/channels/terminal-dev/ws`;

export async function openWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(newTestHome());
  const program = stack.use(await startProgram(place));
  const headers = { authorization: `Bearer ${program.token}` };
  const open = async () => stack.use(await openDevice(channelOf(program), { headers }));
  const connected = async (more: Fields = {}) => {
    const device = await open();
    device.send({ ...SEED.connect, ...more });
    await device.next();
    return device;
  };
  const hear = async () => ({
    ...(await talk({ open, connected, program })),
    ...(await outlive(program, connected)),
  });
  const [heard, device, driven] = await Promise.all([hear(), ownDevice(place), playScript()]);
  const elsewhere = await refusal(
    `${program.url.replace("http", "ws")}/ws/${SEED.connected.session_id}`,
    headers,
  );
  const otherChannel = await refusal(channelOf(program).replace("-dev", "-no"), headers);
  const [oversized, binary] = await Promise.all([
    closing(await connected({ peer_id: "big" }), (ws) => ws.send("x".repeat(1_100_000))),
    closing(await connected({ peer_id: "bits" }), (ws) => ws.send(Buffer.from([1, 2]))),
  ]);
  const owned = stack.move();
  return {
    program,
    heard,
    elsewhere,
    otherChannel,
    oversized,
    binary,
    device,
    driven,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Talking = {
  readonly open: () => Promise<Device>;
  readonly connected: (more?: Fields) => Promise<Device>;
  readonly program: Program;
};

/** Sends each frame and takes the next answer. */
async function ask(
  device: Device,
  ...frames: readonly (object | string)[]
): Promise<DeviceFrame[]> {
  const answers: DeviceFrame[] = [];
  for (const frame of frames) {
    device.send(frame);
    answers.push(await device.next());
  }
  return answers;
}
const message = (message_id: string, text: string, more: Fields = {}) => ({
  type: "message",
  message_id,
  text,
  ...more,
});
/** The acknowledgement and the reply. */
async function turn(
  device: Device,
  ...message: Parameters<typeof messageOf>
): Promise<DeviceFrame[]> {
  return [...(await ask(device, messageOf(...message))), await device.next()];
}
const messageOf = message;

async function talk({ open, connected, program }: Talking) {
  const odd = await open();
  const before = await ask(
    odd,
    SEED.message,
    { type: "connect" },
    { type: "dance" },
    "not json",
    "[1]",
    SEED.ping,
  );
  const connect = await ask(odd, {
    ...SEED.connect,
    firmware: { deep: [1] },
    capabilities: 7,
    device_name: ["x"],
  });
  const wrong = await ask(
    odd,
    { type: "message", text: "hello" },
    { type: "message", message_id: "m-1" },
    message("m-1", "  \n"),
  );
  const id = SEED.accepted.message_id;
  const literal = await turn(odd, id, "say Hello.", { mood: "good" });
  const again = await ask(odd, message(id, "say Hello."), message(id, "say Something else."));
  const failed = await turn(odd, "failed-1", "fail no ink");
  const failedAgain = await ask(odd, message("failed-1", "fail no ink"));
  const asking = await turn(odd, "asks-1", "exec echo hi");
  const answered = await turn(odd, "asks-2", "no");
  const other = await connected({ peer_id: "device-002" });
  const threaded = await connected({ peer_id: "device-003", thread_id: "th2" });
  const threads = [
    ...(await turn(other, id, "say Other.")),
    ...(await turn(other, id, "say Thread.", { thread_id: "th1" })),
    ...(await turn(threaded, id, "say Whole.")),
  ];
  const user = await ask(await open(), { ...SEED.connect, user_id: "ida" });
  const kitchen = await open();
  const unicode = [
    ...(await ask(kitchen, { ...SEED.connect, peer_id: "Küche 1" })),
    ...(await turn(kitchen, "Küche 1-000001", "say Warm.")),
  ];
  const two = await connected({ peer_id: "two" });
  two.send(message("two-1", "say One."));
  two.send(message("two-2", "say Two."));
  const both = [await two.next(), await two.next(), await two.next(), await two.next()];
  const plain = await openDevice(channelOf(program));
  const noToken = await ask(plain, SEED.connect);
  plain[Symbol.dispose]();
  using byAddress = await openDevice(channelOf(program, program.token));
  const password = [
    ...(await ask(byAddress, { ...SEED.connect, peer_id: "plain" })),
    ...(await turn(byAddress, "plain-000001", "say Plain.")),
  ];
  return {
    before,
    connect,
    wrong,
    literal,
    again,
    failed,
    failedAgain,
    asking,
    answered,
    threads,
    user,
    unicode,
    both,
    noToken,
    password,
  };
}

/** What outlives a lost socket and a killed server. */
async function outlive(program: Program, connected: Talking["connected"]) {
  const slow = `pace 20\nsay ${"word ".repeat(60)}end`;
  const peer = { peer_id: "slow" };
  const first = await connected(peer);
  const accepted = await ask(first, message("slow-1", slow));
  const second = await connected(peer);
  const pending = await ask(second, message("slow-1", slow));
  first[Symbol.dispose]();
  const missed = [await second.next()];
  second[Symbol.dispose]();
  await program.kill("serve");
  const back = await until(() => connected(peer).catch(() => undefined), "the server again");
  back.send(message("slow-1", slow));
  const cached = [await theNext(back, "ack", "slow-1")];
  back.send(message("slow-2", "say Later."));
  const later = [await theNext(back, "ack", "slow-2"), await theNext(back, "message", "slow-2")];
  return { accepted, pending, missed, cached, later };
}

/** What a device had not read when its socket was lost is sent once more, before anything else. */
async function theNext(device: Device, type: string, messageId: string): Promise<DeviceFrame> {
  for (;;) {
    const frame = await device.next();
    if (frame.type === type && frame["message_id"] === messageId) return frame;
  }
}

async function refusal(url: string, headers: Record<string, string>): Promise<number> {
  const ws = new WebSocket(url, { headers });
  ws.on("error", () => undefined);
  const [, response] = (await once(ws, "unexpected-response")) as [unknown, IncomingMessage];
  ws.terminate();
  return response.statusCode ?? 0;
}

async function closing(device: Device, act: (ws: WebSocket) => void): Promise<number> {
  act(device.ws);
  return (await device.closed).code;
}
