// Tables that follow from events: `rebuild` makes them anew, and nobody has to bring them along. The index of what can be
// found is made anew by its own means.
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
