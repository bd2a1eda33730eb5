// Gateways that are killed at random moments, one after the other, while people write in every messenger: before the
// kill, while none runs and while the next one starts. Whatever was written is taken once and in order, and so are the
// replies.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import * as g from "../../support/messengers/gateway-place.ts";
import { call, type Server } from "../../support/http.ts";
import { startLone, startServe, startWork, type Lone } from "../../support/processes.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { seeded, type Random } from "../../support/random.ts";
import { until } from "../../support/until.ts";
import { gatewayChats, type Chat } from "./chats.ts";

export type GatewayTrial = {
  readonly kills: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
};
export type Figures = {
  readonly platform: string;
  readonly written: number;
  readonly kills: number;
  readonly connected: number; // kills of a gateway that held every platform
};

const MAX_AT_ONCE = 4; // messages of a burst
const LONGEST_LIFE_MS = 600; // of a gateway, after it is so far
const SETTLE_EVERY = 10;

type Talk = Chat & { readonly written: string[]; connected: number };
type Trial = {
  readonly server: Server;
  readonly place: TestHome;
  readonly random: Random;
  readonly talks: readonly Talk[];
};

export async function runGatewayTrial({ kills, seed, report }: GatewayTrial): Promise<Figures[]> {
  await using messengers = await gatewayChats();
  using place = newTestHome({
    ...messengers.settings,
    gateway_edit_ms: g.EDIT_MS,
    gateway_lease_ms: 4_000,
    demo_delay_ms: 0,
  });
  await using server = await startServe(place);
  await using _runner = await startWork(place);
  const talks = messengers.chats.map((chat) => ({
    ...chat,
    written: [] as string[],
    connected: 0,
  }));
  const trial: Trial = { server, place, random: seeded(seed), talks };
  let gateway = startLone("gateway", place);
  try {
    for (const { platform, secrets, mode } of talks) {
      await g.switchOn(server, platform, { secrets, ...mode });
    }
    await write(trial, "hello");
    await settled(trial);
    for (let kill = 1; kill <= kills; kill += 1) {
      await burst(trial, kill);
      gateway = await killed(trial, gateway);
      if (kill % SETTLE_EVERY === 0 || kill === kills) {
        await settled(trial);
        for (const talk of talks) await judge(server, talk);
        report?.(`${kill} kills, ${talks[0]?.written.length ?? 0} messages each`);
      }
    }
  } finally {
    await gateway[Symbol.asyncDispose]();
  }
  return talks.map(({ platform, written, connected }) => ({
    platform,
    written: written.length,
    kills,
    connected,
  }));
}

/** One message in every chat. */
async function write({ server, talks }: Trial, word: string): Promise<void> {
  for (const talk of talks) {
    talk.written.push(word);
    await talk.say(server, `say ${word}`);
  }
}

/** Some are written at once, some a little later. */
async function burst(trial: Trial, kill: number): Promise<void> {
  const { random } = trial;
  const count = 1 + random.below(MAX_AT_ONCE);
  for (let index = 0; index < count; index += 1) {
    await write(trial, `k${kill}-${index}`);
    if (random.below(3) === 0) await delay(random.below(80));
  }
}

/** SIGKILL at a random moment of its life; people write on while none runs, and while the next one starts. */
async function killed(trial: Trial, gateway: Lone): Promise<Lone> {
  const { server, place, random, talks } = trial;
  const when = random.below(5); // mostly when all of it is up, sometimes while it starts
  if (when > 0) {
    const isUp = async () =>
      (await g.view(server)).processes.some(({ pid }) => pid === gateway.pid);
    await until(isUp, "the new gateway is registered");
  }
  if (when > 1) await until(() => connectedNow(trial), "everything is connected");
  await delay(random.below(LONGEST_LIFE_MS));
  for (const talk of talks) if (when > 1) talk.connected += 1;
  gateway.signal("SIGKILL");
  await gateway.ended;
  if (random.below(2) === 0) await write(trial, `dead-${gateway.pid}`);
  const next = startLone("gateway", place);
  if (random.below(2) === 0) {
    await delay(random.below(LONGEST_LIFE_MS));
    await write(trial, `starting-${next.pid}`);
  }
  return next;
}

async function connectedNow({ server, talks }: Trial): Promise<boolean> {
  const { platforms } = await g.view(server);
  return talks.every((talk) =>
    platforms.some(({ platform, state }) => platform === talk.platform && state === "connected"),
  );
}

/** Everything that was written is answered. */
async function settled({ talks }: Trial): Promise<void> {
  for (const { platform, written, shown } of talks) {
    const missing = () => {
      const there = new Set(shown());
      return written.filter((word) => !there.has(word));
    };
    await until(() => missing().length === 0, `${platform} answers everything`).catch(
      (error: unknown) =>
        assert.fail(`${platform} lacks ${missing().join(", ")}: ${String(error)}`),
    );
  }
}

type Session = { runs: { prompt: string }[] };

async function judge(server: Server, { platform, sessionId, written, shown }: Talk): Promise<void> {
  const path = `/api/sessions/${encodeURIComponent(sessionId)}`;
  const { runs } = (await call<Session>(server, "GET", path)).body.data;
  const prompts = runs.map(({ prompt }) => prompt.replace(/^say /, ""));
  assert.deepEqual(prompts, written, `${platform}: what was written is taken once, in order`);
  assert.deepEqual(shown(), written, `${platform}: every reply once, in order`);
}
