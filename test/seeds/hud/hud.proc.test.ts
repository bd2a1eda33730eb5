import { openWorld } from "./world.ts";
import { HUD } from "./hud.ts";
import { checkDocument } from "../suite.ts";

checkDocument(HUD, openWorld);
