// Tables that follow from events: `rebuild` recreates them, and a migration does not copy them. The search index is
// rebuilt separately.
export const FOLLOWS: readonly string[] = [
  "requests",
  "grants",
  "changes",
  "usage",
  "messages",
  "house_entries",
  "insights",
  "insight_tools",
  "insight_backlog",
  "cron_jobs",
  "cron_ticks",
  "deliveries",
  "home_notes",
  "skill_uses",
  "gateway_platforms",
  "gateway_people",
];
