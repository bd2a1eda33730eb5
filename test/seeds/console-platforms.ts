// C82–C88: a platform as the document summarises it.
import assert from "node:assert/strict";
import { at, isKind, listIn, ok, type ConsoleRow, type Kind } from "./console-checks.ts";

type Check = (value: unknown) => void;

function platform(id: string, path: string, kind: Kind, means: string, on: Check): ConsoleRow {
  return {
    id,
    says: `A platform summary has \`${path}\`: ${means}.`,
    async check({ get }) {
      const cards = listIn(ok(await get("/gateway/platforms")), "platforms");
      assert.ok(cards.length > 1);
      for (const card of cards) isKind(at(card, path), kind, path);
      const found = cards.find((card) => card["key"] === "telegram");
      on(at(found, path)); // the one that is switched on
    },
  };
}

const is = (expected: unknown) => (value: unknown) => assert.deepEqual(value, expected);

export const CONSOLE_PLATFORMS: readonly ConsoleRow[] = [
  platform("C82", "enabled", "boolean", "whether it is switched on", is(true)),
  platform("C83", "configured", "boolean", "whether it has what it needs", is(true)),
  platform("C84", "home_channel", "text or null", "where news go", is("12345678")),
  platform("C85", "platform", "text", "its name", is("telegram")),
  platform("C86", "connected", "boolean", "whether it is connected now", is(true)),
  platform("C87", "error", "text or null", "what is wrong with it", is(null)),
  platform("C88", "allowed_mode", "text", "who may talk to it", is("pair")),
];
