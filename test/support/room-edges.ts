// Which rooms know which: see test/boundaries.test.ts. Both lists may only become shorter.

/** A file of the kernel and the feature or window it still imports. The aim is none: then every room can be deleted. */
export const KERNEL_STILL_IMPORTS: readonly string[] = [
  "events/house-events.ts features/messengers",
  "events/house-events.ts features/schedules",
  "journal/project/house.ts features/messengers",
  "journal/project/house.ts features/schedules",
  "journal/project/projections.ts features/insights",
  "journal/project/runs.ts features/skills",
];

/** A feature or window and the other one it uses. */
export const ROOM_EDGES: readonly string[] = [
  "features/replay features/share",
  "features/schedules features/messengers",
  "features/skills features/memory",
  "windows/console features/browser",
  "windows/console features/insights",
  "windows/console features/logs",
  "windows/console features/memory",
  "windows/console features/messengers",
  "windows/console features/schedules",
  "windows/console features/skills",
  "windows/console features/voice",
  "windows/daemon features/schedules",
  "windows/terminal windows/hud",
  "windows/v1 windows/webui",
  "windows/webui windows/console",
];
