// C109–C119: sessions, found, looked at, renamed and deleted.
import assert from "node:assert/strict";
import { SESSION } from "./acts.ts";
import { at, listIn, ok, refused, type ConsoleRow } from "./checks.ts";
import { ANSWER, MODEL } from "./script.ts";
import type { Console, Data } from "./world.ts";

async function found({ get }: Console, query: string): Promise<unknown[]> {
  const sessions = listIn(ok(await get(`/sessions?${query}`)), "sessions");
  return sessions.map(({ session_id }) => session_id);
}

/** A filter: what it finds of three sessions of which something else is known each. */
function filter(id: string, name: string, deps: string, cases: [value: string, ids: string[]][]) {
  const row: ConsoleRow = {
    id,
    says: `GET /sessions?${name}= ${deps}.`,
    async check(world) {
      for (const [value, expected] of cases) {
        const given = value === "the workspace" ? world.place.workspace : value;
        const ids = await found(world, `limit=50&${name}=${encodeURIComponent(given)}`);
        const known = [SESSION, "again", "attached"].filter((each) => ids.includes(each));
        assert.deepEqual(known, expected, `${name}=${value}`);
      }
    },
  };
  return row;
}

const ALL = [SESSION, "again", "attached"];

const LISTS: readonly ConsoleRow[] = [
  filter("C109", "q", "finds words of titles and of what was said", [
    ["routes", [SESSION]],
    ["Look at this", ["attached"]],
    ["gave Hermes a browser", [SESSION]],
    ["zzzz", []],
  ]),
  filter("C110", "source", "finds sessions by where they were begun", [
    ["console", ALL],
    ["telegram", []],
  ]),
  filter("C111", "workspace", "finds sessions by their folder", [
    ["the workspace", ALL],
    ["/nowhere", []],
  ]),
  filter("C112", "has_tools", "finds sessions in which tools were called, or were not", [
    ["true", [SESSION]],
    ["false", ["again", "attached"]],
  ]),
  {
    id: "C113",
    says: "GET /sessions?limit= bounds the list.",
    async check(world) {
      assert.equal((await found(world, "limit=2")).length, 2);
      refused(await world.get("/sessions?limit=many"), 400, "invalid_pagination");
    },
  },
  {
    id: "C114",
    says: "GET /sessions?offset= goes on behind the first ones.",
    async check(world) {
      const all = await found(world, "limit=50");
      assert.deepEqual(await found(world, "limit=2&offset=1"), all.slice(1, 3));
      assert.deepEqual(await found(world, "offset=1000"), []);
    },
  },
  filter("C115", "model", "finds sessions by the model's bare name, or with its provider", [
    ["gpt-5.4", ALL],
    [MODEL, ALL],
    ["acme", []],
    ["demo", []],
  ]),
];

const ONE: readonly ConsoleRow[] = [
  {
    id: "C116",
    says: "GET /sessions/{id} returns metadata, a recap and the lineage.",
    async check({ kept, get }) {
      assert.equal(at(kept.session, "metadata.billing_provider"), "acme");
      const spoken = kept.items.filter(({ role, content }) => role !== "tool" && content !== "");
      const recap = { message_count: spoken.length, preview: ANSWER, last_role: "assistant" };
      assert.deepEqual(kept.session["recap"], recap);
      const branch = kept.branched["session_id"];
      const { session } = ok(await get(`/sessions/${String(branch)}`));
      assert.equal(at(session, "lineage.parent_session_id"), SESSION);
      const { session: parent } = ok(await get(`/sessions/${SESSION}`));
      assert.equal(at(parent, "lineage.children.0.session_id"), branch);
    },
  },
  {
    id: "C117",
    says: "GET /sessions/{id}/transcript returns the normalized transcript and the tool timeline.",
    check({ kept }) {
      const roles = new Set(kept.items.map(({ role }) => role));
      assert.deepEqual(roles, new Set(["user", "assistant", "tool"]));
      const results = kept.items.filter(({ type }) => type === "tool_result");
      assert.deepEqual(
        results.map(({ tool_call_id }) => tool_call_id),
        kept.timeline.map(({ id }) => id),
      );
    },
  },
  {
    id: "C118",
    says: "POST /sessions/{id}/title renames a session.",
    async check({ post, get }) {
      const title = "Hermes Web Console planning";
      assert.equal(ok(await post("/sessions/again/title", { title }))["title"], title);
      const { session } = ok(await get("/sessions/again"));
      assert.equal(at(session, "title"), title);
    },
  },
  {
    id: "C119",
    says: "DELETE /sessions/{id} deletes a session.",
    difference:
      "It is out of every list and its runs are stopped, but its events stay in the journal: the answer says `restorable`, and POST /sessions/{id}/resume brings it back.",
    async check(world) {
      const { post, ask, get, ended } = world;
      const { run_id } = ok(
        await post("/chat/send", { session_id: "gone", message: "Wait here." }),
      );
      const { deleted, restorable } = ok(await ask("DELETE", "/sessions/gone"));
      assert.deepEqual([deleted, restorable], [true, true]);
      assert.ok(!(await found(world, "limit=50")).includes("gone"));
      refused(await get("/sessions/gone"), 404, "not_found");
      refused(await ask("DELETE", "/sessions/gone"), 404, "not_found");
      assert.equal((await ended(run_id))["status"], "cancelled");
      const resumed: Data = ok(await post("/sessions/gone/resume"));
      assert.equal(resumed["status"], "resumed");
      assert.ok((await found(world, "limit=50")).includes("gone"));
    },
  },
];

export const CONSOLE_SESSIONS: readonly ConsoleRow[] = [...LISTS, ...ONE];
