// The terminal channel, row by row.
import type { Document } from "./suite.ts";
import { CLIENT_ROWS } from "./terminal-client.ts";
import { FAULT_ROWS } from "./terminal-faults.ts";
import { REPLY_ROWS } from "./terminal-replies.ts";
import { SERVER_ROWS } from "./terminal-server.ts";
import type { World } from "./terminal-world.ts";

export const TERMINAL: Document<World> = {
  letter: "T",
  title: "Terminal channel",
  file: "terminal-channel.txt",
  rows: [...SERVER_ROWS, ...REPLY_ROWS, ...CLIENT_ROWS, ...FAULT_ROWS],
};
