// Messengers in the shapes of the console: overview, platform cards, pairing. Tokens never leave the server, not even
// where the original console returns them.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { GatewayPersonView, GatewayPlatformView } from "../../features/messengers/records.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { approve, decide } from "../../features/messengers/server/commands.ts";
import { gatewayView } from "../../features/messengers/server/view.ts";
import { both, capability, ConsoleError, take } from "./envelopes.ts";

const BY = "console";
const Approve = z.object({ platform: z.string().min(1).max(64), code: z.string().min(1).max(64) });
const Revoke = z.object({
  platform: z.string().min(1).max(64),
  user_id: z.string().min(1).max(200),
});

/** As `/meta` has them. */
export function gatewayAbilities({ gateway }: AppDeps) {
  return { gateway_admin: gateway !== undefined };
}

export function gatewayPages(deps: AppDeps): FastifyPluginAsync {
  const { journal, gateway: service } = deps;
  if (!service) return unavailable;
  const messengers = { journal, service };
  return async (app) => {
    app.get("/gateway/overview", async () => {
      const { running, processes, platforms, pairing } = await gatewayView(messengers);
      const changed = platforms.map(({ updated_at }) => updated_at ?? 0);
      const gateway = {
        running,
        pid: processes[0]?.pid ?? null,
        state: running ? "running" : "stopped",
        exit_reason: null,
        updated_at: Math.max(0, ...changed) || null,
      };
      const count = (which: (card: GatewayPlatformView) => boolean) =>
        platforms.filter(which).length;
      const summary = {
        platform_count: platforms.length,
        enabled_platforms: count(({ enabled }) => enabled),
        configured_platforms: count(({ configured }) => configured),
        connected_platforms: count(({ state }) => state === "connected"),
        pending_pairings: pairing.pending.length,
        approved_pairings: pairing.approved.length,
      };
      const home_channels = platforms.flatMap(({ platform, home_channel }) =>
        home_channel === null ? [] : [{ platform, home_channel }],
      );
      const cards = platforms.map((card) => cardOf(card, pairing));
      const overview = { gateway, summary, platforms: cards, delivery: { home_channels } };
      return both({ overview, ...overview });
    });

    app.get("/gateway/platforms", async () => {
      const { platforms, pairing } = await gatewayView(messengers);
      return both({ platforms: platforms.map((card) => cardOf(card, pairing)) });
    });

    app.get("/gateway/pairing", async () => {
      const { pairing } = await gatewayView(messengers);
      const [pending, approved] = [pairing.pending.map(personOf), pairing.approved.map(personOf)];
      const summary = { pending_count: pending.length, approved_count: approved.length };
      return both({ pairing: { pending, approved, summary }, pending, approved });
    });

    app.post("/gateway/pairing/approve", async ({ body }) => {
      const asked = take(Approve, body);
      const { person } = await asConsole(() => approve(messengers, { ...asked, by: BY }));
      const user = person && personOf(person);
      return both({
        approved: true,
        platform: asked.platform,
        user_id: person?.user_id ?? null,
        user,
      });
    });

    app.post("/gateway/pairing/revoke", async ({ body }) => {
      const asked = take(Revoke, body);
      await asConsole(() => decide(messengers, "revoke", { ...asked, by: BY }));
      return both({ revoked: true, ...asked });
    });
  };
}

const PATHS = ["overview", "platforms", "pairing", "pairing/approve", "pairing/revoke"];

const unavailable: FastifyPluginAsync = async (app) => {
  for (const path of PATHS) {
    const method = path.includes("/") ? "POST" : "GET";
    const emitted = { namespace: "gateway", method };
    const handler = async () => capability("gateway_unavailable", emitted);
    app.route({ method, url: `/gateway/${path}`, handler });
  }
};

async function asConsole<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") {
      throw new ConsoleError("pairing_not_found", error.message);
    }
    throw error;
  }
}

type Pairing = {
  readonly pending: readonly GatewayPersonView[];
  readonly approved: readonly GatewayPersonView[];
};

function cardOf(card: GatewayPlatformView, { pending, approved }: Pairing) {
  const { platform, mode, allow } = card;
  const ours = (people: readonly GatewayPersonView[]) =>
    people.filter((person) => person.platform === platform).length;
  return {
    platform,
    connected: card.state === "connected",
    error: card.error_message,
    allowed_mode: mode,
    key: platform,
    label: card.label,
    enabled: card.enabled,
    configured: card.configured,
    runtime_state: card.state,
    error_code: card.error_code,
    error_message: card.error_message,
    updated_at: card.updated_at,
    home_channel: card.home_channel,
    auth: {
      mode,
      allow_all: mode === "open",
      allowlist_count: allow.length,
      pairing_behavior: mode === "pair" ? "code" : "ignore",
    },
    pairing: { pending_count: ours(pending), approved_count: ours(approved) },
    extra: { account: card.account, secrets: card.secrets, undelivered: card.undelivered },
  };
}

/** Codes are kept as hashes: whoever has one knows it, nobody else can. */
function personOf({ platform, user_id, user_name, expires_at, updated_at }: GatewayPersonView) {
  return { platform, user_id, user_name, code: null, expires_at, updated_at };
}
