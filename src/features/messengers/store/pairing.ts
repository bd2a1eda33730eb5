// Who may talk to us in a messenger. A code is kept as a hash and lives five minutes; whoever types five wrong ones may
// type no more for as long. Approving needs a code, revoking ends at once.
import { SYSTEM_LOG } from "../../../kernel/events/system-events.ts";
import type { GatewayPerson, GatewayPlatform, GatewayStore } from "./messengers.ts";
import { appendToSystemLog } from "../../../kernel/journal/system-log/system-log.ts";
import type { Sql } from "../../../kernel/journal/sql.ts";
import type { Transact, Tx } from "../../../kernel/journal/transaction.ts";
import { integer, json, oneOf, rowsOf, text } from "../../../kernel/journal/rows.ts";
import { GATEWAY_PEOPLE } from "../../../kernel/journal/tables/messengers.ts";

const CODE_SECONDS = 300;
const MAX_TRIES = 5;
const HOUR = 3_600;
const MAX_PER_USER = 3; // codes per hour
const MAX_PER_PLATFORM = 30;
const MAX_TURNED_AWAY = 1_000; // rows of people who got none

// Rows beside the codes, named where a code has its hash.
const WRONG_TRY = "wrong try"; // `user_id`: who typed it
const TURNED_AWAY = "turned away";
const IS_CODE = `hash NOT IN ('${WRONG_TRY}', '${TURNED_AWAY}')`;

const PERSON = `SELECT platform, user_id, user_name, channel_id, state, expires_at, updated_at
  FROM gateway_people`;
const LIVE = `platform = ? AND expires_at >= ? AND ${IS_CODE}`;
const ADD =
  "INSERT INTO gateway_codes (platform, user_id, hash, expires_at, asked_at) VALUES (?, ?, ?, ?, ?)";

const PERSON_ROW = rowsOf("gateway_people", {
  ...GATEWAY_PEOPLE.columns,
  state: oneOf(["pending", "approved", "denied", "revoked"]),
});

type Pairing = Pick<
  GatewayStore,
  | "gatewayPeople"
  | "isGatewayUser"
  | "gatewayLetIn"
  | "askPairing"
  | "gatewayTurnedAway"
  | "pairingSent"
  | "approvePairing"
  | "denyPairing"
  | "revokePairing"
>;

export function gatewayPairing(sql: Sql, transact: Transact): Pairing {
  return {
    async gatewayPeople() {
      const rows = await PERSON_ROW.all(sql, `${PERSON} ORDER BY updated_at DESC, user_id`);
      return rows.map((row) => ({ ...row }));
    },
    async isGatewayUser(platform, userId) {
      const { mode, people } = await letIn(sql, platform);
      return mode === "open" || people.includes(userId);
    },
    async gatewayLetIn(platform) {
      return (await letIn(sql, platform)).people;
    },
    ...letting(transact),
    gatewayTurnedAway: () =>
      transact(null, async (tx) => {
        const counted = `SELECT platform, count(*) AS people FROM gateway_codes
          WHERE hash = '${TURNED_AWAY}' AND asked_at >= ? GROUP BY platform`;
        const rows = await PEOPLE.all(tx, counted, tx.now - HOUR);
        return new Map(rows.map(({ platform, people }) => [platform, people]));
      }),
    async pairingSent(platform, userId) {
      const emitted = "UPDATE gateway_codes SET told = 1 WHERE platform = ? AND user_id = ?";
      await transact(null, (tx) => tx.run(emitted, platform, userId));
    },
    denyPairing: (platform, userId, by) =>
      decide(transact, { platform, userId, from: "pending" }, async (tx) => {
        const payload = { by, platform, user_id: userId };
        await appendToSystemLog(tx, [{ type: "gateway.pairing_denied", payload }]);
      }),
    revokePairing: (platform, userId, by) =>
      decide(transact, { platform, userId, from: "approved" }, async (tx) => {
        const payload = { by, platform, user_id: userId };
        await appendToSystemLog(tx, [{ type: "gateway.pairing_revoked", payload }]);
      }),
  };
}

const MODES: readonly GatewayPlatform["mode"][] = ["pair", "allowlist", "open"];
const NOBODY = { mode: "pair", allow: [] } as const;
const LET_IN = rowsOf("gateway_platforms", { mode: oneOf(MODES), allow: json<string[]>() });
const PEOPLE = rowsOf("gateway_codes", { platform: text, people: integer });
const USER = rowsOf("gateway_people", { user_id: text });

async function letIn(sql: Sql, platform: string) {
  const set = "SELECT mode, allow FROM gateway_platforms WHERE platform = ?";
  const { mode, allow: listed } = (await LET_IN.get(sql, set, platform)) ?? NOBODY;
  if (mode === "allowlist") return { mode, people: listed };
  const approved =
    "SELECT user_id FROM gateway_people WHERE platform = ? AND state = 'approved' ORDER BY user_id";
  const paired = (await USER.all(sql, approved, platform)).map(({ user_id }) => user_id);
  return { mode, people: [...new Set([...listed, ...paired])] };
}

function letting(transact: Transact): Pick<GatewayStore, "askPairing" | "approvePairing"> {
  return {
    askPairing: (asking, hash, { seconds = CODE_SECONDS } = {}) =>
      transact(SYSTEM_LOG, async (tx) => {
        const { platform, user_id } = asking;
        await tx.run("DELETE FROM gateway_codes WHERE asked_at < ?", tx.now - HOUR);
        const refused = await limitOn(tx, platform, user_id);
        if (refused === "full") await turnAway(tx, platform, user_id);
        if (refused) return refused === "full" ? "limited" : refused;
        const expires_at = tx.now + seconds;
        await forget(tx, asking);
        await tx.run(ADD, platform, user_id, hash, expires_at, tx.now);
        const by = `${platform} ${user_id}`.slice(0, 300);
        await appendToSystemLog(tx, [
          { type: "gateway.pairing_asked", payload: { by, ...asking, expires_at } },
        ]);
        return "asked";
      }),
    approvePairing: (platform, hash, by) =>
      transact(SYSTEM_LOG, async (tx) => {
        const wrong = `SELECT count(*) AS tries FROM gateway_codes
          WHERE platform = ? AND user_id = ? AND hash = '${WRONG_TRY}' AND asked_at >= ?`;
        const tried = await tx.get(wrong, platform, by, tx.now - CODE_SECONDS);
        if (Number(tried?.["tries"] ?? 0) >= MAX_TRIES) return "locked";
        const found = `SELECT user_id FROM gateway_codes WHERE ${LIVE} AND hash = ?`;
        const code = await USER.get(tx, found, platform, tx.now, hash);
        if (!code) {
          await tx.run(ADD, platform, by, WRONG_TRY, 0, tx.now);
          return undefined;
        }
        const person = await personIn(tx, platform, code.user_id);
        if (person?.state !== "pending") return undefined;
        await forget(tx, person);
        const { user_id, user_name } = person;
        const payload = { by, platform, user_id, user_name };
        await appendToSystemLog(tx, [{ type: "gateway.pairing_approved", payload }]);
        return personIn(tx, platform, user_id);
      }),
  };
}

/** A code nobody was told (we died in between) is none, though it counts. */
async function limitOn(tx: Tx, platform: string, userId: string) {
  const held = `SELECT 1 AS held FROM gateway_codes WHERE ${LIVE} AND user_id = ? AND told = 1`;
  if (await tx.get(held, platform, tx.now, userId)) return "waiting" as const;
  const count = `SELECT count(*) AS every, count(CASE WHEN user_id = ? THEN 1 END) AS own
    FROM gateway_codes WHERE platform = ? AND ${IS_CODE}`;
  const asked = await tx.get(count, userId, platform);
  const [every, own] = [Number(asked?.["every"] ?? 0), Number(asked?.["own"] ?? 0)];
  if (own >= MAX_PER_USER) return "limited" as const;
  return every >= MAX_PER_PLATFORM ? ("full" as const) : undefined;
}

/** So that the owner sees it: whoever asks in vain hears nothing. */
async function turnAway(tx: Tx, platform: string, userId: string): Promise<void> {
  const count = `SELECT count(*) AS every, count(CASE WHEN user_id = ? THEN 1 END) AS own
    FROM gateway_codes WHERE platform = ? AND hash = '${TURNED_AWAY}'`;
  const known = await tx.get(count, userId, platform);
  if (Number(known?.["own"]) > 0 || Number(known?.["every"]) >= MAX_TURNED_AWAY) return;
  await tx.run(ADD, platform, userId, TURNED_AWAY, 0, tx.now);
}

type Deciding = {
  readonly platform: string;
  readonly userId: string;
  readonly from: GatewayPerson["state"];
};

function decide(
  transact: Transact,
  { platform, userId, from }: Deciding,
  note: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return transact(SYSTEM_LOG, async (tx) => {
    const person = await personIn(tx, platform, userId);
    if (person?.state !== from) return false;
    await forget(tx, person);
    await note(tx);
    return true;
  });
}

/** Kept until the hour is over: how many somebody asked for is counted. */
async function forget(
  tx: Tx,
  { platform, user_id }: Pick<GatewayPerson, "platform" | "user_id">,
): Promise<void> {
  const over = "UPDATE gateway_codes SET expires_at = 0 WHERE platform = ? AND user_id = ?";
  await tx.run(over, platform, user_id);
}

async function personIn(tx: Tx, platform: string, userId: string) {
  const row = await PERSON_ROW.get(
    tx,
    `${PERSON} WHERE platform = ? AND user_id = ?`,
    platform,
    userId,
  );
  return row && { ...row };
}
