// The terminal channel, row by row.
import type { Document } from "../suite.ts";
import { CLIENT_ROWS } from "./client.ts";
import { FAULT_ROWS } from "./faults.ts";
import { REPLY_ROWS } from "./replies.ts";
import { SERVER_ROWS } from "./server.ts";
import type { World } from "./world.ts";

export const TERMINAL: Document<World> = {
  letter: "T",
  title: "Terminal channel",
  file: "terminal-channel.txt",
  rows: [...SERVER_ROWS, ...REPLY_ROWS, ...CLIENT_ROWS, ...FAULT_ROWS],
};
