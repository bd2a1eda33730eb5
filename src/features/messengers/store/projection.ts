// What each event of the gateway does to the lists of platforms and people.
import type { SystemEvent } from "../../../kernel/events/system-events.ts";
import type { Projections } from "../../../kernel/journal/project/projections.ts";
import type { Statement, Value } from "../../../kernel/journal/sql.ts";

type PayloadOf<Type extends SystemEvent["type"]> = Extract<SystemEvent, { type: Type }>["payload"];

/** A row that is not there is one nobody set anything of. */
function platform(name: string, at: number, fields: Readonly<Record<string, Value>>): Statement {
  const columns = Object.keys(fields);
  const sql = `INSERT INTO gateway_platforms (platform, updated_at, ${columns.join(", ")})
    VALUES (?, ?, ${columns.map(() => "?").join(", ")})
    ON CONFLICT (platform) DO UPDATE SET updated_at = excluded.updated_at,
      ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`;
  return [sql, name, at, ...Object.values(fields)];
}

const PERSON = `INSERT INTO gateway_people (platform, user_id, user_name, channel_id, state, expires_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (platform, user_id) DO UPDATE SET user_name = excluded.user_name, channel_id = excluded.channel_id,
    state = excluded.state, expires_at = excluded.expires_at, updated_at = excluded.updated_at`;
const DECIDED = `UPDATE gateway_people SET state = ?, expires_at = NULL, updated_at = ?
  WHERE platform = ? AND user_id = ?`;
const OK = { error_code: null, error_message: null };

export const projectGateway: Projections = {
  // The revision tells a gateway that holds the platform that its settings or secrets are others now.
  "gateway.platform_set": (_log, p: PayloadOf<"gateway.platform_set">, { seq, at }) => {
    const { enabled, mode, allow } = p;
    const fields = { enabled: Number(enabled), mode, allow: JSON.stringify(allow), revision: seq };
    return [platform(p.platform, at, fields)];
  },
  "gateway.home_set": (_log, p: PayloadOf<"gateway.home_set">, { at }) => [
    platform(p.platform, at, { home_channel: p.channel_id }),
  ],
  "gateway.connected": (_log, p: PayloadOf<"gateway.connected">, { at }) => [
    platform(p.platform, at, { state: "connected", account: p.account, ...OK }),
  ],
  "gateway.failed": (_log, p: PayloadOf<"gateway.failed">, { at }) => [
    platform(p.platform, at, { state: "failed", error_code: p.code, error_message: p.message }),
  ],
  "gateway.stopped": (_log, p: PayloadOf<"gateway.stopped">, { at }) => [
    platform(p.platform, at, { state: "stopped", ...OK }),
  ],
  "gateway.pairing_asked": (_log, p: PayloadOf<"gateway.pairing_asked">, { at }) => {
    const about = [p.platform, p.user_id, p.user_name, p.channel_id] as const;
    return [[PERSON, ...about, "pending", p.expires_at, at]];
  },
  "gateway.pairing_approved": (_log, p: PayloadOf<"gateway.pairing_approved">, { at }) => [
    [DECIDED, "approved", at, p.platform, p.user_id],
  ],
  "gateway.pairing_denied": (_log, p: PayloadOf<"gateway.pairing_denied">, { at }) => [
    [DECIDED, "denied", at, p.platform, p.user_id],
  ],
  "gateway.pairing_revoked": (_log, p: PayloadOf<"gateway.pairing_revoked">, { at }) => [
    [DECIDED, "revoked", at, p.platform, p.user_id],
  ],
};
