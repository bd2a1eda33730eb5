import { checkDocument } from "./suite.ts";
import { openWorld } from "./terminal-world.ts";
import { TERMINAL } from "./terminal.ts";

checkDocument(TERMINAL, openWorld);
