import { integer, setting } from "../../kernel/api/setting.ts";

export const DEMO_SETTINGS = {
  demo_delay_ms: setting(integer(0, 25), "How long the demo model waits between two words."),
};
