// The web console's document, row by row, against the running program.
import { CONSOLE } from "./console.ts";
import { openConsoleWorld } from "./world.ts";
import { checkDocument } from "../suite.ts";

checkDocument(CONSOLE, openConsoleWorld);
