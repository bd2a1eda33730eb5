// C136–C146: memory, search, skills, schedules and messengers.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CODE } from "../../support/messengers/gateway-place.ts";
import { until } from "../../support/until.ts";
import { CRON } from "./acts.ts";
import { at, isKind, listIn, ok, refused, unsupported, type ConsoleRow } from "./checks.ts";
import type { ConsoleWorld, Data } from "./world.ts";

const KNOWLEDGE: readonly ConsoleRow[] = [
  {
    id: "C136",
    says: "GET /memory returns the `target` memory or user.",
    async check({ get }) {
      for (const target of ["memory", "user"]) {
        const { memory } = ok(await get(`/memory?target=${target}`));
        assert.equal(at(memory, "target"), target);
        assert.ok(Array.isArray(at(memory, "entries")));
      }
      refused(await get("/memory?target=other"), 400, "invalid_request");
    },
  },
  {
    id: "C137",
    says: "POST /memory adds an entry.",
    async check({ post, get }) {
      const content = "User prefers concise terminal-renderable responses.";
      const body = { target: "memory", action: "add", content };
      ok(await post("/memory", body));
      ok(await post("/memory", body));
      ok(await post("/memory", { target: "user", action: "add", content: "Is called Ann." }));
      const entries = async (target: string) =>
        at(ok(await get(`/memory?target=${target}`)), "memory.entries");
      assert.deepEqual(await entries("memory"), [content], "once");
      assert.deepEqual(await entries("user"), ["Is called Ann."]);
    },
  },
  {
    id: "C138",
    says: "GET /session-search finds `query` in what was said, at most `limit` times.",
    async check({ get }) {
      const search = async (query: string) =>
        listIn(ok(await get(`/session-search?${query}`)), "results");
      const found = await search("query=routes&limit=5");
      assert.ok(found.some(({ session_id }) => session_id === "sess_123"));
      assert.equal((await search("query=routes&limit=1")).length, 1);
      assert.deepEqual(await search("query=zzzznothing"), []);
      refused(await get("/session-search"), 400, "missing_query");
    },
  },
  {
    id: "C139",
    says: "GET /skills lists skills, of a `category` where one is named.",
    async check({ get }) {
      const named = async (query: string) =>
        listIn(ok(await get(`/skills${query}`)), "skills").map(({ name }) => name);
      assert.deepEqual(await named(""), ["github-issues"]);
      assert.deepEqual(await named("?category=github"), ["github-issues"]);
      assert.deepEqual(await named("?category=other"), []);
    },
  },
  {
    id: "C140",
    says: "GET /skills/{name} returns a skill's Markdown and metadata.",
    async check({ get }) {
      const { skill } = ok(await get("/skills/github-issues"));
      assert.match(String(at(skill, "content")), /# GitHub issues/);
      assert.deepEqual([at(skill, "name"), at(skill, "category")], ["github-issues", "github"]);
      refused(await get("/skills/nothing"), 404, "not_found");
    },
  },
  {
    id: "C141",
    says: "POST /skills/{name}/install is optional.",
    difference:
      "There is no hub of skills: a name alone answers the capability envelope, which asks for a `source`; what it holds is shown first, and installed only with its `hash`.",
    async check({ post, get, place }) {
      const { reason, details } = unsupported(await post("/skills/demo/install"));
      assert.equal(reason, "skill_source_needed");
      assert.deepEqual(at(details, "fields"), ["source", "hash"]);
      const path = join(place.workspace, "..", "demo");
      mkdirSync(path);
      writeFileSync(join(path, "SKILL.md"), "---\nname: demo\ndescription: One.\n---\n\nText.\n");
      const install = (more: object) =>
        post("/skills/demo/install", { source: { kind: "path", path }, ...more });
      const { installed, inspection } = ok(await install({}));
      assert.equal(installed, false);
      assert.match(String(at(inspection, "content")), /Text\./);
      refused(await get("/skills/demo"), 404, "not_found");
      refused(await install({ hash: "0".repeat(64) }), 409, "skill_conflict");
      assert.equal(ok(await install({ hash: at(inspection, "hash") }))["installed"], true);
      ok(await get("/skills/demo"));
    },
  },
  {
    id: "C142",
    says: "Cron jobs are created, changed, run, paused, resumed and deleted.",
    async check({ kept, ask, post, get, telegram }) {
      const { job: made } = ok(kept.cron.made);
      const given = Object.keys(CRON).map((key) => [key, at(made, key)]);
      assert.deepEqual(Object.fromEntries(given), CRON, "the document's body, literally");
      assert.equal(ok(kept.cron.ran)["queued"], true);
      await until(() => telegram.in(12_345_678).some(({ text }) => text === "Said."), "its answer");
      const path = `/cron/jobs/${String(at(made, "job_id"))}`;
      const job = async (answer: ReturnType<typeof ask>) => ok(await answer)["job"] as Data;
      assert.equal((await job(ask("PATCH", path, { name: "Evening" })))["name"], "Evening");
      const paused = await job(post(`${path}/pause`));
      assert.deepEqual([paused["paused"], paused["next_run_at"]], [true, null]);
      const resumed = await job(post(`${path}/resume`));
      isKind(resumed["next_run_at"], "time", "next_run_at");
      assert.equal(listIn(ok(await get("/cron/jobs")), "jobs").length, 1);
      assert.equal(ok(await ask("DELETE", path))["deleted"], true);
      assert.deepEqual(ok(await get("/cron/jobs"))["jobs"], []);
      refused(await post("/cron/jobs/cron_123/run"), 404, "not_found");
    },
  },
];

/** Somebody writes to the bot and is given a code. */
async function stranger({ telegram }: ConsoleWorld, user: number): Promise<string> {
  telegram.say("hello", { user });
  const sent = await until(() => telegram.in(user).find(({ text }) => CODE.test(text)), "a code");
  return CODE.exec(sent.text)?.[0] ?? "";
}

async function people({ get }: ConsoleWorld, list: "pending" | "approved") {
  const data = ok(await get("/gateway/pairing"));
  return listIn(data, list).map(({ platform, user_id }) => [platform, user_id]);
}

const GATEWAY: readonly ConsoleRow[] = [
  {
    id: "C143",
    says: "GET /gateway/overview returns the runtime state, the PID, the platforms and the delivery.",
    async check({ get, place }) {
      const data = ok(await get("/gateway/overview"));
      assert.equal(at(data, "gateway.state"), "running");
      const command = readFileSync(`/proc/${String(at(data, "gateway.pid"))}/cmdline`, "utf8");
      assert.ok(command.includes("\0gateway\0") && command.includes(`\0${place.home}\0`));
      const names = listIn(data, "platforms").map(({ platform }) => platform);
      assert.ok(names.includes("telegram"));
      const home = [{ platform: "telegram", home_channel: "12345678" }];
      assert.deepEqual(at(data, "delivery.home_channels"), home);
    },
  },
  {
    id: "C144",
    says: "GET /gateway/platforms returns a card of every platform.",
    async check({ get }) {
      const cards = listIn(ok(await get("/gateway/platforms")), "platforms");
      const names = cards.map(({ platform }) => platform);
      assert.deepEqual(new Set(names), new Set(["telegram", "slack", "discord", "webhook"]));
      for (const card of cards) isKind(card["runtime_state"], "text", "runtime_state");
    },
  },
  {
    id: "C145",
    says: "GET /gateway/pairing returns who waits with a code, and who was let in.",
    difference:
      "The codes themselves are not returned: only their hashes are stored, and a person shows their own code.",
    async check(world) {
      const code = await stranger(world, 7);
      assert.deepEqual(await people(world, "pending"), [["telegram", "7"]]);
      const { body } = await world.get("/gateway/pairing");
      assert.ok(!JSON.stringify(body).includes(code));
      assert.deepEqual(await people(world, "approved"), []);
    },
  },
  {
    id: "C146",
    says: "POST /gateway/pairing/approve lets a person in by their code, and /revoke ends it.",
    async check(world) {
      const { post } = world;
      const example = { platform: "telegram", code: "AB12CD34" };
      refused(await post("/gateway/pairing/approve", example), 404, "not_found");
      const code = await stranger(world, 123_456_789);
      ok(await post("/gateway/pairing/approve", { platform: "telegram", code }));
      assert.deepEqual(await people(world, "approved"), [["telegram", "123456789"]]);
      const { telegram } = world;
      telegram.say("hello again", { user: 123_456_789 });
      const answered = () => telegram.in(123_456_789).some(({ text }) => text === "Said.");
      await until(answered, "an answer");
      const who = { platform: "telegram", user_id: "123456789" };
      ok(await post("/gateway/pairing/revoke", who));
      assert.deepEqual(await people(world, "approved"), []);
      refused(await post("/gateway/pairing/revoke", { ...who, user_id: "1" }), 404, "not_found");
    },
  },
];

export const CONSOLE_HOME: readonly ConsoleRow[] = [...KNOWLEDGE, ...GATEWAY];
