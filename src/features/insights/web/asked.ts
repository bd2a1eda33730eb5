// The query of the insights page, as in its address: /insights?days=30&by=model, or from and to.
import type { InsightGroup } from "../records.ts";
import type { InsightPeriod } from "../client.ts";

/** The grouping of the table below the daily chart. */
export const GROUPS = ["model", "profile", "session", "workspace", "tool"] as const;
export type Group = Exclude<InsightGroup, "day">;
export const PERIODS = [7, 30, 90, 365] as const;
export type Asked = { readonly period: InsightPeriod; readonly by: Group };

const DATE = /^2\d{3}-\d{2}-\d{2}$/;

export function askedIn(search: string): Asked {
  const query = new URLSearchParams(search);
  const by = GROUPS.find((group) => group === query.get("by")) ?? "model";
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  if (DATE.test(from) && DATE.test(to)) return { by, period: { from, to } };
  const days = PERIODS.find((some) => String(some) === query.get("days")) ?? 30;
  return { by, period: { days } };
}

export function searchOf({ by, period }: Asked): string {
  const query = new URLSearchParams({ by });
  for (const [name, value] of Object.entries(period)) query.set(name, String(value));
  return `?${query.toString()}`;
}
