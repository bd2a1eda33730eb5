// The store of messengers: settings and people (events of the system log), codes, leases and the outbox. Every
// process sees the same, so any of them may hold a platform's connection.
import { SYSTEM_LOG, type SystemDraft } from "../../../kernel/events/system-events.ts";
import { gatewayOutbox } from "./outbox.ts";
import { gatewayPairing } from "./pairing.ts";
import type { GatewayStore, GatewayPlatform } from "./messengers.ts";
import { appendToSystemLog } from "../../../kernel/journal/system-log/system-log.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { Tx } from "../../../kernel/journal/transaction.ts";
import { json, oneOf, rowsOf } from "../../../kernel/journal/rows.ts";
import { GATEWAY_LEASES, GATEWAY_PLATFORMS } from "../../../kernel/journal/tables/messengers.ts";
import { pick } from "../../../kernel/journal/tables/table.ts";

const PLATFORM = `SELECT platform, enabled, mode, allow, home_channel, state, account, error_code, error_message,
  revision, updated_at FROM gateway_platforms`;
const LEASE = `INSERT INTO gateway_leases (platform, holder, lease_until) VALUES (?, ?, ?)
  ON CONFLICT (platform) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
  WHERE gateway_leases.holder = excluded.holder OR gateway_leases.lease_until < ?
    OR gateway_leases.holder IN (SELECT value FROM json_each(?))`;

export function messengerStore({ database }: Pick<Journal, "database">): GatewayStore {
  const { sql, transact } = database;
  return {
    ...gatewayPairing(sql, transact),
    ...gatewayOutbox(sql, transact),
    async gatewayPlatforms() {
      return (await PLATFORM_ROW.all(sql, `${PLATFORM} ORDER BY platform`)).map(plain);
    },
    async gatewayPlatform(name) {
      return find(sql, name);
    },
    setGatewayPlatform: (name, change, { by, secrets }) =>
      transact(SYSTEM_LOG, async (tx) => {
        const before = await find(tx, name);
        const { home_channel: home, ...rest } = change;
        const given = Object.keys(rest).filter((key) => differs(before, rest, key));
        const changed = [...given, ...secrets];
        const settings = { ...(before ?? { enabled: false, mode: "pair", allow: [] }), ...rest };
        const { enabled, mode, allow } = settings as GatewayPlatform;
        const payload = { by, platform: name, enabled, mode, allow: [...allow], changed };
        const drafts: SystemDraft[] =
          changed.length > 0 ? [{ type: "gateway.platform_set", payload }] : [];
        if (home !== undefined && home !== (before?.home_channel ?? null)) {
          drafts.push({
            type: "gateway.home_set",
            payload: { by, platform: name, channel_id: home },
          });
        }
        if (drafts.length > 0) await appendToSystemLog(tx, drafts);
        return drafts.length > 0;
      }),
    noteGateway: (name, now) =>
      transact(SYSTEM_LOG, async (tx) => {
        const before = await find(tx, name);
        if (before && isSame(before, now)) return false;
        const about = { by: "gateway", platform: name };
        await appendToSystemLog(tx, [draftOf(about, now)]);
        return true;
      }),
    takeGatewayLease: ({ platform, holder, seconds, lost }) =>
      transact(null, async (tx) => {
        const ours = [platform, holder, tx.now + seconds] as const;
        return (await tx.run(LEASE, ...ours, tx.now, JSON.stringify(lost))) === 1;
      }),
    async dropGatewayLease(platform, holder) {
      const gone = "DELETE FROM gateway_leases WHERE platform = ? AND holder = ?";
      await transact(null, (tx) => tx.run(gone, platform, holder));
    },
    async gatewayLeases() {
      const all = "SELECT platform, holder FROM gateway_leases";
      return new Map(
        (await HOLDER.all(sql, all)).map(({ platform, holder }) => [platform, holder]),
      );
    },
  };
}

const HOLDER = rowsOf("gateway_leases", pick(GATEWAY_LEASES, "platform", "holder"));
const PLATFORM_ROW = rowsOf("gateway_platforms", {
  ...GATEWAY_PLATFORMS.columns,
  mode: oneOf(["pair", "allowlist", "open"]),
  allow: json<string[]>(),
  state: oneOf(["stopped", "connected", "failed"]),
});

async function find(sql: Pick<Tx, "get" | "all">, name: string) {
  const row = await PLATFORM_ROW.get(sql, `${PLATFORM} WHERE platform = ?`, name);
  return row && plain(row);
}

/** Rows of SQLite have no prototype. */
const plain = (row: GatewayPlatform): GatewayPlatform => ({ ...row });

function differs(
  before: GatewayPlatform | undefined,
  change: Readonly<Record<string, unknown>>,
  key: string,
): boolean {
  const known: Readonly<Record<string, unknown>> = before ?? {};
  return JSON.stringify(known[key]) !== JSON.stringify(change[key]);
}

type Now = Parameters<GatewayStore["noteGateway"]>[1];

function isSame(before: GatewayPlatform, now: Now): boolean {
  if (before.state !== now.state) return false;
  if (now.state === "connected") return before.account === now.account;
  return now.state === "stopped" || before.error_code === now.code;
}

function draftOf(about: { by: string; platform: string }, now: Now): SystemDraft {
  if (now.state === "connected") {
    return { type: "gateway.connected", payload: { ...about, account: now.account } };
  }
  if (now.state === "stopped") return { type: "gateway.stopped", payload: about };
  const { code, message } = now;
  return { type: "gateway.failed", payload: { ...about, code, message: message.slice(0, 500) } };
}
