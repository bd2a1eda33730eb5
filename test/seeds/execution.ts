// The execution event schema, row by row.
import { EVENT_ROWS } from "./execution-events.ts";
import { SENT_ROWS } from "./execution-sent.ts";
import { STREAM_ROWS } from "./execution-stream.ts";
import { TREE_ROWS } from "./execution-tree.ts";
import type { World } from "./hud-world.ts";
import type { Document } from "./suite.ts";

export const EXECUTION: Document<World> = {
  letter: "E",
  title: "Execution event schema",
  file: "execution-event-schema.txt",
  rows: [...SENT_ROWS, ...EVENT_ROWS, ...TREE_ROWS, ...STREAM_ROWS],
};
