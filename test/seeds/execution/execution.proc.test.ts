import { EXECUTION } from "./execution.ts";
import { openWorld } from "../hud/world.ts";
import { checkDocument } from "../suite.ts";

checkDocument(EXECUTION, openWorld);
