import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { SEED } from "../../../test/e2e/terminal/seed.ts";
import { SessionId } from "../events/ids.ts";
import { channelSession, segment, type Identity } from "./channel-session.ts";

const digest = (text: string) => hash("sha256", text, "base64url");
const sessionOf = (identity: Identity, channel = "terminal-dev") =>
  channelSession(channel, identity, digest);

test("[W7] a peer's session is named as the document names it", () => {
  const { peer_id: peerId } = SEED.connect;
  assert.equal(sessionOf({ peerId }), SEED.connected.session_id);
  assert.equal(sessionOf({ peerId, userId: "ida" }), "terminal-dev:ida:device-001");
  assert.equal(sessionOf({ peerId, threadId: "t1" }), "terminal-dev:local:device-001:t1");
  assert.equal(
    sessionOf({ peerId, userId: "ida@example.org", threadId: "a b" }),
    "terminal-dev:ida@40example.org:device-001:a@20b",
  );
});

test("[W7] no name reaches into another's session", () => {
  assert.notEqual(sessionOf({ peerId: "a:b" }), sessionOf({ peerId: "a", threadId: "b" }));
  assert.notEqual(sessionOf({ peerId: "p", userId: "local" }), sessionOf({ peerId: "p" }));
  assert.notEqual(sessionOf({ peerId: "@20" }), sessionOf({ peerId: " " }));
  assert.notEqual(sessionOf({ peerId: "\ud800" }), sessionOf({ peerId: "\udbff" }));
  assert.notEqual(sessionOf({ peerId: "Å" }), sessionOf({ peerId: "A\u030a" }));
  const long = "x".repeat(200);
  assert.notEqual(sessionOf({ peerId: `${long}a` }), sessionOf({ peerId: `${long}b` }));
});

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 200 }),
  fc.constantFrom("local", "@6cocal", "a:b", "@@", "@u0041", "@41", "\ud83d", "ü"),
  fc.stringMatching(/^[ab:@]{1,4}$/),
);
const identities = fc.record({
  peerId: name,
  userId: fc.option(name, { nil: undefined }),
  threadId: fc.option(name, { nil: undefined }),
});

test("[W7] whatever devices are called, ids are valid, and the same only for the same", () => {
  const known = new Map<string, string>();
  fc.assert(
    fc.property(identities, (identity) => {
      const id = sessionOf(identity);
      assert.ok(SessionId.safeParse(id).success, id);
      const who = JSON.stringify([identity.peerId, identity.userId, identity.threadId]);
      assert.equal(known.get(id) ?? who, who);
      known.set(id, who);
    }),
    { numRuns: tries(20_000) },
  );
});

test("[W7] a segment can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const coded = segment(text);
      assert.match(coded, /^[A-Za-z0-9_.@-]*$/);
      const back = coded.replaceAll(/@u(.{4})|@(.{2})/g, (_, four: string, two: string) =>
        String.fromCharCode(Number.parseInt(four ?? two, 16)),
      );
      assert.equal(back, text);
    }),
  );
});
