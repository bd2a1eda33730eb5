// C82–C88: a platform as the document summarises it: one that is connected, one that cannot be, and those that are off.
import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { at, isKind, listIn, ok, type ConsoleRow, type Kind } from "./checks.ts";
import type { ConsoleWorld } from "./world.ts";

/** Slack was switched on without its tokens. */
async function cardsOf({ get }: ConsoleWorld) {
  return until(async () => {
    const cards = listIn(ok(await get("/gateway/platforms")), "platforms");
    const slack = cards.find(({ key }) => key === "slack");
    return slack?.["runtime_state"] === "failed" ? cards : undefined;
  }, "Slack's failure");
}

const MISSING = "“Bot token (xoxb-…)” is missing.";
type Values = readonly [telegram: unknown, slack: unknown, discord: unknown, webhook: unknown];

function platform(
  id: string,
  path: string,
  kind: Kind,
  deps: string,
  ...expected: Values
): ConsoleRow {
  return {
    id,
    says: `A platform summary has \`${path}\`: ${deps}.`,
    async check(world) {
      const cards = await cardsOf(world);
      for (const card of cards) isKind(at(card, path), kind, path);
      const names = ["telegram", "slack", "discord", "webhook"];
      const emitted = names.map((name) =>
        at(
          cards.find(({ key }) => key === name),
          path,
        ),
      );
      assert.deepEqual(emitted, expected);
    },
  };
}

export const CONSOLE_PLATFORMS: readonly ConsoleRow[] = [
  platform("C82", "enabled", "boolean", "whether it is switched on", true, true, false, false),
  platform(
    "C83",
    "configured",
    "boolean",
    "whether it has what it needs",
    true,
    false,
    false,
    false,
  ),
  platform("C84", "home_channel", "text or null", "where news go", "12345678", null, null, null),
  platform("C85", "platform", "text", "its name", "telegram", "slack", "discord", "webhook"),
  platform("C86", "connected", "boolean", "whether it is connected now", true, false, false, false),
  platform("C87", "error", "text or null", "what is wrong with it", null, MISSING, null, null),
  platform(
    "C88",
    "allowed_mode",
    "text",
    "who may talk to it",
    "pair",
    "allowlist",
    "pair",
    "open",
  ),
];
