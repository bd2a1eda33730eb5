import { z } from "zod";
import { integer, setting } from "../../kernel/api/setting.ts";

/** Only here: a token goes nowhere else. */
const Addresses = z.partialRecord(z.enum(["telegram", "slack", "discord"]), z.url()).default({});

export const GATEWAY_SETTINGS = {
  gateway_urls: setting(Addresses, "Where a messenger's API is, if elsewhere than usual."),
  gateway_edit_ms: setting(z.int().min(0).optional(), "The wait between two edits of a message."),
  gateway_lease_ms: setting(
    integer(500, 10_000),
    "How long a silent gateway keeps its connections.",
  ),
};
