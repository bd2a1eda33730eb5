// Messengers as they are now: what was set, what the gateway last said, and whether there is one at all.
import type { GatewayPerson, GatewayPlatform } from "../store/messengers.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { isAlive } from "../../../kernel/journal/liveness.ts";
import type {
  GatewayPairingView,
  GatewayPersonView,
  GatewayPlatformView,
  GatewayView,
} from "../records.ts";
import { kindOf, labelOf, PLATFORM_KINDS, PLATFORMS, webhookName } from "../platforms.ts";
import type { MessengerService } from "./service.ts";
import { messengerStore } from "../store/store.ts";

type Deps = { readonly journal: Journal; readonly service: MessengerService };

export async function gatewayView(deps: Deps): Promise<GatewayView> {
  const [processes, platforms, pairing] = await Promise.all([
    gatewayProcesses(deps.journal),
    platformViews(deps),
    pairingView(deps.journal),
  ]);
  const emitted = processes.map(({ process_id: id, pid, host }) => ({ id, pid, host }));
  return { running: emitted.length > 0, processes: emitted, platforms, pairing };
}

async function gatewayProcesses(journal: Journal) {
  const records = await journal.registry.processes();
  return records.filter((record) => record.kind === "gateway" && isAlive(record) !== false);
}

export async function platformViews({ journal, service }: Deps): Promise<GatewayPlatformView[]> {
  const [known, leases, undelivered, turnedAway, processes] = await Promise.all([
    messengerStore(journal).gatewayPlatforms(),
    messengerStore(journal).gatewayLeases(),
    messengerStore(journal).undelivered(),
    messengerStore(journal).gatewayTurnedAway(),
    gatewayProcesses(journal),
  ]);
  const alive = new Set(processes.map(({ process_id }) => process_id));
  const names = new Set([...PLATFORM_KINDS, ...known.map(({ platform }) => platform)]);
  return Promise.all(
    [...names].map((name) =>
      viewOf(service, {
        name,
        row: known.find(({ platform }) => platform === name),
        held: alive.has(leases.get(name) ?? ""),
        undelivered: undelivered.get(name) ?? 0,
        turned_away: turnedAway.get(name) ?? 0,
      }),
    ),
  );
}

type Known = {
  readonly name: string;
  readonly row: GatewayPlatform | undefined;
  readonly held: boolean;
  readonly undelivered: number;
  readonly turned_away: number;
};

async function viewOf(service: MessengerService, known: Known): Promise<GatewayPlatformView> {
  const { name, row, held, undelivered, turned_away } = known;
  const kind = kindOf(name) ?? "webhook";
  const { packages, steps, secrets: wanted } = PLATFORMS[kind];
  const [present, fixed] = [await service.secrets.of(name), service.secrets.fixed(name)];
  const secrets = wanted.map((secret) => ({
    name: secret.name,
    label: secret.label,
    present: Boolean(present[secret.name]),
    fixed: fixed.includes(secret.name),
  }));
  const isOn = row?.enabled ?? false;
  const isWebhook = kind === "webhook";
  const path = `/api/gateway/webhook/${webhookName(name)}`;
  return {
    platform: name,
    kind,
    label: labelOf(name),
    enabled: isOn,
    configured: secrets.every((secret) => secret.present),
    state: !isOn
      ? "off"
      : !held || row?.state === "stopped"
        ? "waiting"
        : (row?.state ?? "waiting"),
    account: row?.account ?? "",
    error_code: isOn ? (row?.error_code ?? null) : null,
    error_message: isOn ? (row?.error_message ?? null) : null,
    mode: row?.mode ?? (isWebhook ? "open" : "pair"),
    allow: [...(row?.allow ?? [])],
    home_channel: row?.home_channel ?? null,
    undelivered,
    turned_away,
    secrets,
    packages: [...packages],
    steps: steps.map((step) =>
      isWebhook ? step.replace("/api/gateway/webhook/default", path) : step,
    ),
    webhook_path: isWebhook ? path : null,
    updated_at: row?.updated_at ?? null,
  };
}

export async function pairingView(journal: Journal): Promise<GatewayPairingView> {
  const people = await messengerStore(journal).gatewayPeople();
  const now = Date.now() / 1_000;
  return {
    pending: people
      .filter((one) => one.state === "pending" && (one.expires_at ?? 0) > now)
      .map(shown),
    approved: people.filter((one) => one.state === "approved").map(shown),
  };
}

function shown(person: GatewayPerson): GatewayPersonView {
  return { ...person };
}
