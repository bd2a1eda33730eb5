// C1–C31: the document's rules, its namespaces, the three envelopes, and who may ask.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TELEGRAM_TOKEN } from "../../support/messengers/fakes/telegram.ts";
import { call } from "../../support/http.ts";
import { quarterdeck } from "../../support/program.ts";
import { at, isKind, listIn, ok, refused, unsupported, type ConsoleRow } from "./checks.ts";
import { SECRET } from "./script.ts";
import type { ConsoleWorld, Data } from "./world.ts";

const RULES: readonly ConsoleRow[] = [
  {
    id: "C1",
    says: "Raw secrets are never sent, whichever person or program typed or printed them.",
    async check({ kept, get, server }) {
      const paths = ["/settings", "/meta", "/gateway/platforms", "/gateway/overview", "/profiles"];
      const bodies = [];
      for (const path of [...paths, "/logs?kind=errors", "/logs?kind=gateway"]) {
        bodies.push(ok(await get(path)));
      }
      const emitted = JSON.stringify([bodies, kept]);
      for (const secret of [SECRET, TELEGRAM_TOKEN, server.token]) {
        assert.ok(!emitted.includes(secret), "a secret was told");
      }
      const shown = JSON.stringify(kept.items);
      assert.ok(shown.includes("the key is [redacted:QUARTERDECK_API_KEY]"), "it was printed");
      const typed = JSON.stringify(kept.busy.transcript);
      assert.ok(typed.includes("say this: [redacted:QUARTERDECK_API_KEY]"), "it was typed");
    },
  },
  {
    id: "C2",
    says: "`/v1/*` stays the OpenAI-compatible API.",
    async check({ server }) {
      const models = (await call(server, "GET", "/v1/models")).body as unknown as Data;
      assert.equal(models["object"], "list");
      assert.ok(listIn(models, "data").some(({ id }) => id === "hermes-agent"));
      const answer = await call(server, "POST", "/v1/chat/completions", {
        model: "hermes-agent",
        messages: [{ role: "user", content: "Hello." }],
      });
      assert.equal(at(answer.body, "object"), "chat.completion");
      assert.equal(at(answer.body, "choices.0.message.content"), "Said.");
      const run = await call(server, "POST", "/v1/runs", { input: "Hello." });
      assert.ok(run.status < 300, JSON.stringify(run.body));
      isKind(at(run.body, "run_id"), "text", "run_id");
    },
  },
  {
    id: "C3",
    says: "Endpoints are thin wrappers of the same runtime: what one API did, all of them show.",
    async check({ server, kept }) {
      const run = await call(server, "GET", `/api/runs/${kept.runId}`);
      assert.deepEqual(
        [run.body.data["status"], run.body.data["session_id"]],
        [kept.run["status"], kept.run["session_id"]],
      );
      const v1 = (await call(server, "GET", `/v1/runs/${kept.runId}`)).body as unknown as Data;
      assert.equal(v1["status"], "completed");
    },
  },
  {
    id: "C4",
    says: "What is not supported answers with capability metadata, whatever path and method.",
    async check({ ask }) {
      for (const [method, path] of [
        ["GET", "/nothing/of/that/name"],
        ["POST", "/credentials/pool"],
        ["PUT", "/missions/m1"],
        ["DELETE", "/plugins/p1"],
        ["PATCH", "/system/backup"],
      ] as const) {
        unsupported(await ask(method, path, method === "GET" ? undefined : {}));
      }
    },
  },
  {
    id: "C5",
    says: "One event envelope is used everywhere.",
    check({ kept }) {
      const keys = ["id", "type", "session_id", "run_id", "ts", "payload"];
      assert.ok(kept.live.some(({ frame }) => frame.type === "ping"));
      for (const { frame } of kept.live) {
        assert.deepEqual(Object.keys(frame).slice(0, 6), keys, frame.type);
        const own = frame.type === "ping" ? [...keys, "ping"] : keys;
        assert.deepEqual(Object.keys(frame), own, frame.type);
      }
    },
  },
];

/** A namespace, and something of it that answers with more than that it is not there. */
const NAMESPACES = [
  ["health", "/health"],
  ["meta", "/meta"],
  ["chat/*", "/chat/backgrounds"],
  ["sessions/*", "/sessions"],
  ["workspace/*", "/workspace/tree"],
  ["processes/*", "/processes"],
  ["human/*", "/human/pending"],
  ["memory/*", "/memory"],
  ["user-profile/*", "/user-profile"],
  ["session-search", "/session-search?query=routes"],
  ["skills/*", "/skills"],
  ["cron/*", "/cron/jobs"],
  ["gateway/*", "/gateway/overview"],
  ["settings/*", "/settings"],
  ["logs/*", "/logs"],
  ["browser/*", "/browser/status"],
] as const;

const namespaceRows: readonly ConsoleRow[] = NAMESPACES.map(([name, path], index) => ({
  id: `C${index + 6}`,
  says: `The namespace \`/api/gui/${name}\` is served.`,
  async check({ get }) {
    const data = ok(await get(path));
    assert.ok(!("supported" in data) && Object.keys(data).length > 0, path);
  },
}));

const MORE_NAMESPACES: readonly ConsoleRow[] = [
  {
    id: "C22",
    says: "The namespace `/api/gui/media/*` is served.",
    check: ({ kept }) => isKind(kept.attached.media["file_path"], "text", "file_path"),
  },
  {
    id: "C23",
    says: "The namespace `/api/gui/stream/*` is served.",
    async check({ stream }) {
      const { status, seen } = await stream("nobody-yet", { until: () => true });
      assert.deepEqual([status, seen[0]?.frame.session_id], [200, "nobody-yet"]);
    },
  },
];

const ENVELOPES: readonly ConsoleRow[] = [
  {
    id: "C24",
    says: "Success is `{ok: true, data}`.",
    async check({ get }) {
      const { body } = await get("/sessions");
      assert.deepEqual([body.ok, typeof body.data], [true, "object"]);
      const { ok: _ok, data, ...flat } = body as unknown as Data;
      assert.deepEqual(flat, data, "the real client reads the same fields flat");
    },
  },
  {
    id: "C25",
    says: "An error is `{ok: false, error: {code, message, details}}`.",
    async check(world) {
      const { get, post, ask, kept } = world;
      refused(await post("/chat/send", { message: "" }), 400, "invalid_prompt");
      refused(await ask("POST", "/chat/send", "{"), 400, "invalid_json");
      refused(await get("/sessions/nobody"), 404, "not_found");
      refused(kept.late, 409, "already_answered");
      refused(await world.get("/meta", { authorization: "Bearer wrong" }), 401, "unauthorized");
      const plain = await post("/chat/send", "hello", { "content-type": "text/plain" });
      refused(plain, 415, "unsupported_media_type");
      refused(await world.get("/meta", { origin: "http://evil.example" }), 403, "bad_origin");
    },
  },
  {
    id: "C26",
    says: 'A session that is not there is `not_found`, "Session not found".',
    async check({ get, post }) {
      const missing = await get("/sessions/nobody");
      const details = refused(missing, 404, "not_found");
      assert.equal(missing.body.error.message, "Session not found");
      assert.deepEqual(details, { session_id: "nobody", reason: "session_not_found" });
      const run = await post("/chat/stop", { run_id: "run_none" });
      assert.equal(refused(run, 404, "not_found")["reason"], "run_not_found");
    },
  },
  {
    id: "C27",
    says: "The capability envelope has `supported: false`, a `reason` and `details`.",
    async check({ post }) {
      const { reason, details } = unsupported(await post("/gateway/service/restart"));
      assert.equal(reason, "gateway_unavailable");
      assert.deepEqual(details, { namespace: "gateway", method: "POST" });
    },
  },
];

const AUTH: readonly ConsoleRow[] = [
  {
    id: "C28",
    says: "By default the server listens on localhost only.",
    check({ server }) {
      const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
      const listening = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .map((line) => line.trim().split(/\s+/))
          .filter(([, local, , state]) => state === "0A" && local?.endsWith(`:${port}`))
          .map(([, local]) => local?.split(":")[0]),
      );
      assert.deepEqual(listening, ["0100007F"], "127.0.0.1, and nothing else");
    },
  },
  {
    id: "C29",
    says: "`Authorization: Bearer` with API_SERVER_KEY is taken, and another token is refused.",
    async check({ server, get }) {
      ok(await get("/meta"));
      for (const authorization of ["Bearer wrong", `Basic ${server.token}`, ""]) {
        refused(await get("/meta", { authorization }), 401, "unauthorized");
      }
    },
  },
  {
    id: "C30",
    says: "A token is asked for when an API key or GUI auth is configured.",
    difference:
      "A token is always asked for: where no API_SERVER_KEY is given, the server makes one (`quarterdeck token` prints it). Any program and page on this machine could use an open port; `--no-auth` opens it on loopback.",
    async check({ place, get }) {
      refused(await get("/sessions", { authorization: "" }), 401, "unauthorized");
      const { stdout } = await quarterdeck(["token", "--home", place.home]);
      assert.match(stdout.trim(), /^\S{32,}$/, "one that was made here, without any key");
    },
  },
  {
    id: "C31",
    says: "The word `Bearer` is an HTTP auth scheme: its case does not matter.",
    async check({ server, get }: ConsoleWorld) {
      for (const scheme of ["bearer", "BEARER", "Bearer "]) {
        const meta = ok(await get("/meta", { authorization: `${scheme} ${server.token}` }));
        isKind(meta["version"], "text", "version");
      }
    },
  },
];

export const CONSOLE_RULES: readonly ConsoleRow[] = [
  ...RULES,
  ...namespaceRows,
  ...MORE_NAMESPACES,
  ...ENVELOPES,
  ...AUTH,
];
