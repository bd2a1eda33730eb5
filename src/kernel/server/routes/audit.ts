// Native API: the system log as an audit.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../journal/journal.ts";
import type { AuditView, HouseEntry } from "../../api/records/system-log.ts";
import { auditApi, type AuditQuery } from "../../api/routes/audit.ts";
import type { AppDeps } from "../app.ts";
import { mount } from "../mount.ts";
import { defined } from "../../events/defined.ts";

export function auditRoutes({ journal }: Pick<AppDeps, "journal">): FastifyPluginAsync {
  return mount(auditApi, { getAudit: ({ query }) => readAudit(journal, query) });
}

export async function readAudit(
  journal: Journal,
  { types, upto, limit, ...asked }: AuditQuery,
): Promise<AuditView> {
  const wanted = {
    ...asked,
    ...(types !== undefined && { types: matching(journal.systemLog.types, types) }),
    ...(upto !== undefined && { until: upto }),
  };
  const bodies = await journal.systemLog.events({ ...defined(wanted), limit: limit + 1 });
  const entries = bodies.slice(0, limit).map(toEntry);
  const more = bodies.length > limit;
  const next = more ? (entries.at(-1)?.seq ?? null) : null;
  return { entries, next, types: [...journal.systemLog.types] };
}

/** Each word is a type or what types begin with: `login`, `approval.answered`. */
function matching(types: readonly string[], words: string): string[] {
  const asked = words.split(",").map((word) => word.trim());
  return types.filter((type) => asked.some((word) => type === word || type.startsWith(`${word}.`)));
}

function toEntry(body: string): HouseEntry {
  const { seq, type, created_at, payload, hash } = JSON.parse(body) as HouseEntry;
  return { seq, type, created_at, payload, hash };
}
