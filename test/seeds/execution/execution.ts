// The execution event schema, row by row.
import { EVENT_ROWS } from "./events.ts";
import { SENT_ROWS } from "./sent.ts";
import { STREAM_ROWS } from "./stream.ts";
import { TREE_ROWS } from "./tree.ts";
import type { World } from "../hud/world.ts";
import type { Document } from "../suite.ts";

export const EXECUTION: Document<World> = {
  letter: "E",
  title: "Execution event schema",
  file: "execution-event-schema.txt",
  rows: [...SENT_ROWS, ...EVENT_ROWS, ...TREE_ROWS, ...STREAM_ROWS],
};
