// Who may talk to us in a messenger. A code is kept as a hash, lives five minutes and survives five wrong tries on its
// platform; approving needs it, revoking ends at once.
import { HOUSE } from "../protocol/house-events.ts";
import type { GatewayPerson, GatewayPlatform, GatewayStore } from "./gateway-store.ts";
import { noteInHouse } from "./house.ts";
import type { Row, Sql } from "./sql.ts";
import type { Transact, Tx } from "./transaction.ts";

const CODE_SECONDS = 300;
const MOST_TRIES = 5;
const HOUR = 3_600;
const MOST_OF_USER = 3; // codes per hour
const MOST_OF_PLATFORM = 30;

const PERSON = `SELECT platform, user_id, user_name, channel_id, state, expires_at, updated_at
  FROM gateway_people`;
const LIVE = `platform = ? AND expires_at >= ? AND tries < ${MOST_TRIES}`;

type Pairing = Pick<
  GatewayStore,
  | "gatewayPeople"
  | "isGatewayUser"
  | "gatewayLetIn"
  | "askPairing"
  | "pairingTold"
  | "approvePairing"
  | "denyPairing"
  | "revokePairing"
>;

export function gatewayPairing(sql: Sql, transact: Transact): Pairing {
  return {
    async gatewayPeople() {
      return (await sql.all(`${PERSON} ORDER BY updated_at DESC, user_id`)).map(toPerson);
    },
    async isGatewayUser(platform, userId) {
      const { mode, people } = await letIn(sql, platform);
      return mode === "open" || people.includes(userId);
    },
    async gatewayLetIn(platform) {
      return (await letIn(sql, platform)).people;
    },
    ...letting(transact),
    async pairingTold(platform, userId) {
      const told = "UPDATE gateway_codes SET told = 1 WHERE platform = ? AND user_id = ?";
      await transact(null, (tx) => tx.run(told, platform, userId));
    },
    denyPairing: (platform, userId, by) =>
      decide(transact, { platform, userId, from: "pending" }, async (tx) => {
        const payload = { by, platform, user_id: userId };
        await noteInHouse(tx, [{ type: "gateway.pairing_denied", payload }]);
      }),
    revokePairing: (platform, userId, by) =>
      decide(transact, { platform, userId, from: "approved" }, async (tx) => {
        const payload = { by, platform, user_id: userId };
        await noteInHouse(tx, [{ type: "gateway.pairing_revoked", payload }]);
      }),
  };
}

async function letIn(sql: Sql, platform: string) {
  const set = "SELECT mode, allow FROM gateway_platforms WHERE platform = ?";
  const row = await sql.get(set, platform);
  const mode = (row?.["mode"] ?? "pair") as GatewayPlatform["mode"];
  const listed = JSON.parse((row?.["allow"] as string | undefined) ?? "[]") as string[];
  if (mode === "allowlist") return { mode, people: listed };
  const approved =
    "SELECT user_id FROM gateway_people WHERE platform = ? AND state = 'approved' ORDER BY user_id";
  const paired = (await sql.all(approved, platform)).map((each) => each["user_id"] as string);
  return { mode, people: [...new Set([...listed, ...paired])] };
}

function letting(transact: Transact): Pick<GatewayStore, "askPairing" | "approvePairing"> {
  return {
    askPairing: (asking, hash, { seconds = CODE_SECONDS } = {}) =>
      transact(HOUSE, async (tx) => {
        const { platform, user_id } = asking;
        await tx.run("DELETE FROM gateway_codes WHERE asked_at < ?", tx.now - HOUR);
        const refused = await limitOn(tx, platform, user_id);
        if (refused) return refused;
        const expires_at = tx.now + seconds;
        await forget(tx, asking);
        await tx.run(
          "INSERT INTO gateway_codes (platform, user_id, hash, expires_at, asked_at) VALUES (?, ?, ?, ?, ?)",
          platform,
          user_id,
          hash,
          expires_at,
          tx.now,
        );
        const by = `${platform} ${user_id}`.slice(0, 300);
        await noteInHouse(tx, [
          { type: "gateway.pairing_asked", payload: { by, ...asking, expires_at } },
        ]);
        return "asked";
      }),
    approvePairing: (platform, hash, by) =>
      transact(HOUSE, async (tx) => {
        const found = `SELECT user_id FROM gateway_codes WHERE ${LIVE} AND hash = ?`;
        const code = await tx.get(found, platform, tx.now, hash);
        if (!code) {
          const tried = `UPDATE gateway_codes SET tries = tries + 1 WHERE ${LIVE}`;
          await tx.run(tried, platform, tx.now);
          return undefined;
        }
        const person = await personIn(tx, platform, code["user_id"] as string);
        if (person?.state !== "pending") return undefined;
        await forget(tx, person);
        const { user_id, user_name } = person;
        const payload = { by, platform, user_id, user_name };
        await noteInHouse(tx, [{ type: "gateway.pairing_approved", payload }]);
        return personIn(tx, platform, user_id);
      }),
  };
}

/** A code nobody was told (we died in between) is none, though it counts. */
async function limitOn(tx: Tx, platform: string, userId: string) {
  const held = `SELECT 1 AS held FROM gateway_codes WHERE ${LIVE} AND user_id = ? AND told = 1`;
  if (await tx.get(held, platform, tx.now, userId)) return "waiting" as const;
  const count = `SELECT count(*) AS every, count(CASE WHEN user_id = ? THEN 1 END) AS own
    FROM gateway_codes WHERE platform = ?`;
  const asked = await tx.get(count, userId, platform);
  const [every, own] = [Number(asked?.["every"] ?? 0), Number(asked?.["own"] ?? 0)];
  return own >= MOST_OF_USER || every >= MOST_OF_PLATFORM ? ("limited" as const) : undefined;
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
  return transact(HOUSE, async (tx) => {
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
  const row = await tx.get(`${PERSON} WHERE platform = ? AND user_id = ?`, platform, userId);
  return row && toPerson(row);
}

function toPerson(row: Row): GatewayPerson {
  return { ...row } as unknown as GatewayPerson;
}
