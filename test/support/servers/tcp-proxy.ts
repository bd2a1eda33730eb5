// A network between a client and a server that can be slow, and can fail in every way that a real one does: connections
// are reset, or nothing arrives any more without an error.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * - `reset`: connections are reset, new ones at once.
 * - `silence`: nothing passes, neither bytes nor the end of a connection. New ones get no answer.
 * - `no replies`: the server receives the client's bytes; the client receives nothing.
 *
 * What a silence held back arrives after `heal()`, as TCP would send it again; a reset loses it.
 */
export type Cut = "reset" | "silence" | "no replies";

export type TcpProxy = AsyncDisposable & {
  readonly port: number;
  /** The same url, by way of the proxy. */
  through(url: string): string;
  cut(how: Cut): void;
  heal(): void;
  /** The delay of every byte, in each direction. */
  delay(ms: number): void;
  /** Bytes of the server that are held back: the client's request has been executed. */
  heldReplies(): number;
  /** Connections through the proxy now. */
  connections(): number;
};

type Network = { cut: Cut | undefined; delayMs: number };
type Way = { pump(): void; held(): number };
type Link = { up: Way; down: Way; reset(): void };

export async function startTcpProxy(target: { port: number; host?: string }): Promise<TcpProxy> {
  const network: Network = { cut: undefined, delayMs: 0 };
  const links = new Set<Link>();
  const unanswered = new Set<Socket>();

  const open = (client: Socket) => {
    const server = connect({ host: "127.0.0.1", ...target, allowHalfOpen: true, noDelay: true });
    const link = {
      up: carry(client, server, () => network.cut === "silence", network),
      down: carry(server, client, () => network.cut !== undefined, network),
      reset: () => [client, server].forEach(reset),
    };
    links.add(link);
    void Promise.all([client, server].map((socket) => closed(socket))).then(() =>
      links.delete(link),
    );
  };
  const resetAll = () => {
    for (const link of links) link.reset();
    for (const client of unanswered) reset(client);
    unanswered.clear();
  };

  const pumpAll = () => {
    for (const { up, down } of links) [up, down].forEach((way) => way.pump());
  };

  const listener = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
  listener.on("connection", (client) => {
    client.on("error", () => {}); // its close is what counts
    if (network.cut === "reset") reset(client);
    else if (network.cut === "silence") unanswered.add(client);
    else open(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;

  return {
    port,
    through: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    cut(how) {
      network.cut = how;
      if (how === "reset") resetAll();
      else pumpAll(); // the new kind may let pass what the last one held
    },
    heal() {
      network.cut = undefined;
      for (const client of unanswered) open(client);
      unanswered.clear();
      pumpAll();
    },
    delay: (ms) => void (network.delayMs = ms),
    heldReplies: () => [...links].reduce((sum, { down }) => sum + down.held(), 0),
    connections: () => links.size,
    async [Symbol.asyncDispose]() {
      resetAll();
      listener.close();
      await once(listener, "close");
    },
  };
}

/** One direction of a connection: bytes leave in order, when they are due and may pass. */
function carry(from: Socket, to: Socket, isSilent: () => boolean, network: Network): Way {
  const under: { due: number; bytes: number; deliver(): void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const pump = () => {
    clearTimeout(timer);
    while (under[0] && !isSilent()) {
      const wait = under[0].due - performance.now();
      if (wait > 0) {
        timer = setTimeout(pump, Math.ceil(wait));
        return;
      }
      under.shift()?.deliver();
    }
  };
  const send = (deliver: () => void, bytes = 0) => {
    under.push({ due: performance.now() + network.delayMs, bytes, deliver });
    pump();
  };
  from.on("data", (chunk: Buffer) => {
    send(() => {
      if (!to.write(chunk)) from.pause(); // else a fast sender would fill our memory
    }, chunk.length);
  });
  to.on("drain", () => from.resume());
  from.on("end", () => send(() => to.end()));
  from.on("error", () => send(() => reset(to)));
  to.on("close", () => clearTimeout(timer));
  from.resume();
  return { pump, held: () => under.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * One that is ending cannot be reset: its handle would stay open, and Node would spin at its exit.
 * The other end sees it closed either way.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded || socket.connecting) socket.destroy();
  else socket.resetAndDestroy();
}

async function closed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
}
