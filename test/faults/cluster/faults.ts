// What is broken in a cluster: processes, the database, and the network between them.
import { setTimeout as delay } from "node:timers/promises";
import type { Postgres } from "../../support/postgres/postgres.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import { textOf } from "../../support/runs.ts";
import type { Cut } from "../../support/servers/tcp-proxy.ts";
import { until } from "../../support/until.ts";
import { lastOf, LEASE_MS, type Cluster, type Member } from "./cluster.ts";
import type { Random } from "../random.ts";

export type ClusterFault =
  | { kind: "kill"; target: string }
  | { kind: "drain"; target: string }
  | { kind: "sleep"; target: string; ms: number }
  | { kind: "cut"; target: string; how: Cut; end: "heal" | "reset"; ms: number }
  | { kind: "postgres"; ms: number };

const RUNNERS = ["work-1", "work-2", "work-3"];
const ANY = [...RUNNERS, "serve-1", "serve-2"];
const KINDS: ClusterFault["kind"][] = [
  "kill",
  "kill",
  "drain",
  "sleep",
  "sleep",
  "cut",
  "cut",
  "cut",
  "postgres",
  "postgres",
];

export function drawFaults(random: Random, count: number): ClusterFault[] {
  return Array.from({ length: count }, (): ClusterFault => {
    const kind = random.pick(KINDS);
    if (kind === "kill" || kind === "drain") return { kind, target: random.pick(ANY) };
    if (kind === "sleep") {
      return { kind, target: random.pick(RUNNERS), ms: LEASE_MS + random.between(200, 2_000) };
    }
    if (kind === "postgres") return { kind, ms: random.between(0, 1_500) };
    return {
      kind,
      target: random.pick(ANY),
      how: random.pick<Cut>(["reset", "silence", "no replies"]),
      end: random.pick(["heal", "reset"]),
      ms: random.pick([random.between(50, 400), random.between(LEASE_MS, 2 * LEASE_MS)]),
    };
  });
}

export type Breaking = { cluster: Cluster; postgres: Postgres; restarting: boolean };

/** What happened, in words; undefined when there was nothing to break. Settles when it is over. */
export async function strike(fault: ClusterFault, about: Breaking): Promise<string | undefined> {
  if (fault.kind === "postgres") return killPostgres(fault.ms, about);
  const { servers, runners, url } = about.cluster;
  const member = [...servers, ...runners].find(({ name }) => name === fault.target);
  if (!member || member.busy) return undefined;
  member.busy = true;
  try {
    if (fault.kind === "kill") return await endProcess(member, "SIGKILL");
    if (fault.kind === "drain") return await endProcess(member, "SIGTERM");
    if (fault.kind === "cut") return await cut(member, fault);
    return await putToSleep(member, fault.ms, url);
  } finally {
    member.busy = false;
  }
}

async function killPostgres(ms: number, about: Breaking): Promise<string | undefined> {
  if (about.restarting) return undefined;
  about.restarting = true;
  const { pid } = about.postgres;
  await about.postgres.kill();
  await delay(ms);
  await about.postgres.restart();
  about.restarting = false;
  return about.postgres.pid === pid ? undefined : `Postgres killed for ${ms} ms`;
}

const DRAIN_MS = 60_000;

async function endProcess(
  member: Member,
  signal: "SIGKILL" | "SIGTERM",
): Promise<string | undefined> {
  const lone = member.lone();
  if (lone.child.exitCode !== null || lone.child.signalCode !== null) return undefined;
  member.expectEnd();
  lone.signal(signal);
  const slow = setTimeout(() => lone.signal("SIGKILL"), DRAIN_MS);
  const how = await lone.ended;
  clearTimeout(slow);
  if (signal === "SIGKILL") return how === signal ? `${member.name} killed` : undefined;
  const born = how === "SIGTERM"; // too young to have heard of signals
  if (how !== 0 && !born)
    member.accidents.push(`${member.name} drained with ${how}: ${lastOf(lone)}`);
  return `${member.name} drained`;
}

async function cut(
  { name, network }: Member,
  { how, end, ms }: Extract<ClusterFault, { kind: "cut" }>,
): Promise<string | undefined> {
  const connections = network.connections();
  network.cut(how);
  await delay(ms);
  const held = network.heldReplies();
  if (end === "reset") network.cut("reset");
  network.heal();
  if (connections === 0) return undefined;
  return `${name} cut off (${how}, then ${end}) for ${ms} ms, ${held} bytes of replies held`;
}

/** Longer than its lease. Counted only if it worked on something, which others then may take. */
async function putToSleep(member: Member, ms: number, url: string): Promise<string | undefined> {
  const lone = member.lone();
  lone.signal("SIGSTOP");
  try {
    await until(() => textOf(`/proc/${lone.pid}/stat`).includes(") T "), "it to be stopped");
    const held = await heldBy(lone.pid, url);
    await delay(ms);
    return held === 0 ? undefined : `${member.name} asleep with ${held} runs for ${ms} ms`;
  } catch {
    return undefined; // it had ended
  } finally {
    lone.signal("SIGCONT");
  }
}

async function heldBy(pid: number, url: string): Promise<number> {
  const sql = `SELECT count(*) AS held FROM logs l JOIN processes p ON p.process_id = l.runner_id
    WHERE p.pid = ?`;
  const [row] = await rawSql({ url }, sql, pid).catch(() => []);
  return Number(row?.["held"] ?? 0);
}
