import { openWorld } from "./hud-world.ts";
import { HUD } from "./hud.ts";
import { checkDocument } from "./suite.ts";

checkDocument(HUD, openWorld);
