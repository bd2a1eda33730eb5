// Which rooms import which others: see test/boundaries.test.ts. The list may only become shorter.

/** A feature or window and the other one it uses. */
export const ROOM_EDGES: readonly string[] = [
  "features/replay features/share",
  "features/schedules features/messengers",
  "windows/console features/browser",
  "windows/console features/insights",
  "windows/console features/logs",
  "windows/console features/memory",
  "windows/console features/messengers",
  "windows/console features/schedules",
  "windows/console features/skills",
  "windows/console features/voice",
  "windows/daemon features/schedules",
  "windows/v1 windows/webui",
];
