import { checkDocument } from "../suite.ts";
import { openWorld } from "./world.ts";
import { TERMINAL } from "./terminal.ts";

checkDocument(TERMINAL, openWorld);
