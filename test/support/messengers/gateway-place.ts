// The real program with a messenger switched on, and a person's actions over the API.
import assert from "node:assert/strict";
import { call, type Server } from "../http.ts";
import { newTestHome, startProgram, type TestHome, type Program } from "../program.ts";
import { until } from "../until.ts";

export const EDIT_MS = 20; // a real platform's rate limit would only make tests slow

type Settings = { url?: string; kind: "telegram" | "slack" | "discord" | "webhook" };
export type GatewayView = {
  running: boolean;
  processes: { pid: number }[];
  platforms: {
    platform: string;
    state: string;
    error_code: string | null;
    error_message: string | null;
    account: string;
    home_channel: string | null;
    undelivered: number;
    secrets: { name: string; present: boolean }[];
  }[];
  pairing: { pending: { user_id: string; user_name: string }[]; approved: { user_id: string }[] };
};

export function gatewayPlace({ kind, url }: Settings, more: Record<string, unknown> = {}) {
  return newTestHome({
    ...(url !== undefined && kind !== "webhook" && { gateway_urls: { [kind]: url } }),
    gateway_edit_ms: EDIT_MS,
    gateway_lease_ms: 4_000,
    ...more,
  });
}

export async function gatewayProgram(place: TestHome): Promise<Program> {
  return startProgram(place);
}

export async function view(server: Server): Promise<GatewayView> {
  const { body } = await call<GatewayView>(server, "GET", "/api/gateway");
  return body.data;
}

export async function platformOf(server: Server, name: string) {
  const found = (await view(server)).platforms.find(({ platform }) => platform === name);
  assert.ok(found, `${name} is listed`);
  return found;
}

/** Resolves when it is connected. */
export async function switchOn(
  server: Server,
  platform: string,
  settings: Record<string, unknown>,
): Promise<void> {
  const set = await call(server, "POST", `/api/gateway/platforms/${platform}`, {
    enabled: true,
    ...settings,
  });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  await until(
    async () => (await platformOf(server, platform)).state === "connected",
    `${platform} is connected`,
  );
}

export const CODE = /[A-Z2-9]{5}-[A-Z2-9]{5}/;

export async function approve(server: Server, platform: string, code: string) {
  return call(server, "POST", "/api/gateway/pairing/approve", { platform, code });
}

/** Kills the current gateway (SIGKILL); resolves when another one holds the platform. */
export async function killGateway(server: Server): Promise<number> {
  const pid = (await view(server)).processes[0]?.pid;
  assert.ok(pid, "a gateway runs");
  process.kill(pid, "SIGKILL");
  await until(async () => {
    const { processes } = await view(server);
    return processes.some((each) => each.pid !== pid);
  }, "another gateway");
  return pid;
}
