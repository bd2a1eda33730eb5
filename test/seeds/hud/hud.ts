// The HUD protocol, row by row.
import { FRAME_ROWS } from "./frames.ts";
import { PANEL_ROWS } from "./panel.ts";
import { RECEIVED_ROWS } from "./received.ts";
import { REDUCER_ROWS } from "./reducer.ts";
import { TOOL_ROWS } from "./tools.ts";
import type { World } from "./world.ts";
import type { Document } from "../suite.ts";

export const HUD: Document<World> = {
  letter: "H",
  title: "HUD protocol",
  file: "hud-protocol.txt",
  rows: [...FRAME_ROWS, ...TOOL_ROWS, ...RECEIVED_ROWS, ...REDUCER_ROWS, ...PANEL_ROWS],
};
