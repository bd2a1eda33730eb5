// C89–C108: health, meta and the conversation.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readEvents } from "../../support/http.ts";
import { ROOT } from "../../support/program.ts";
import { at, isKind, listIn, ok, refused, type ConsoleRow, type Kind } from "./checks.ts";
import { MODEL, SEND } from "./script.ts";
import type { Data } from "./world.ts";

function meta(id: string, path: string, kind: Kind, expected?: string | number): ConsoleRow {
  const value = expected === undefined ? "" : `, \`${expected}\``;
  return {
    id,
    says: `GET /meta has \`${path}\`${value}.`,
    async check({ get }) {
      const found = at(ok(await get("/meta")), path);
      isKind(found, kind, path);
      if (expected !== undefined) assert.equal(found, expected);
    },
  };
}

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

const META: readonly ConsoleRow[] = [
  {
    id: "C89",
    says: "GET /health says `status: ok` and the product, also without a token.",
    async check({ get }) {
      const { status, product } = ok(await get("/health", { authorization: "" }));
      assert.deepEqual([status, product], ["ok", "hermes-web-console"]);
    },
  },
  meta("C90", "product", "text", "hermes-web-console"),
  {
    id: "C91",
    says: "GET /meta has `version`.", // no number here: the list of rows would change with every release
    check: async ({ get }) => assert.equal(at(ok(await get("/meta")), "version"), VERSION),
  },
  {
    id: "C92",
    says: "GET /meta has `gui_mount_path`, where the page is found.",
    async check({ get, server }) {
      const path = ok(await get("/meta"))["gui_mount_path"];
      assert.equal(path, "/app");
      const page = await fetch(`${server.url}${path}`, { redirect: "manual" });
      assert.deepEqual([page.status, page.headers.get("location")], [302, "/"]);
    },
  },
  meta("C93", "api_base", "text", "/api/gui"),
  meta("C94", "stream_base", "text", "/api/gui/stream"),
  meta("C95", "v1_base", "text", "/v1"),
  {
    id: "C96",
    says: "GET /meta has `features`: what works here, as booleans.",
    async check({ get }) {
      const features = ok(await get("/meta"))["features"] as Data;
      for (const name of ["workspace", "gateway_admin", "voice"]) {
        assert.equal(features[name], true, name);
      }
      for (const [name, works] of Object.entries(features)) isKind(works, "boolean", name);
    },
  },
  meta("C97", "schema_version", "number", 1),
];

const SENDING: readonly ConsoleRow[] = [
  {
    id: "C98",
    says: "POST /chat/send takes the document's body and answers with the session, a run and `started`.",
    check({ kept }) {
      const { session_id, run_id, status } = ok(kept.sent);
      assert.deepEqual([session_id, status], [SEND.session_id, "started"]);
      isKind(run_id, "text", "run_id");
    },
  },
  {
    id: "C99",
    says: "`instructions` of /chat/send reach the model.",
    check({ asked }) {
      const systems = asked.flatMap(({ body }) =>
        listIn(body, "messages").filter(({ role }) => role === "system"),
      );
      const emitted = systems.filter(({ content }) => String(content).includes(SEND.instructions));
      assert.ok(emitted.length > 0 && emitted.length < systems.length, "those of that run alone");
    },
  },
  {
    id: "C100",
    says: "`conversation` of /chat/send names the conversation.",
    difference:
      "The document does not say what the name does. It is kept with the run as metadata; which conversation goes on is decided by `session_id` alone.",
    async check({ server, kept }) {
      const path = `/api/runs/${kept.runId}/events`;
      const { frames } = await readEvents(server, path, { take: 2 });
      const queued = JSON.parse(frames[1]?.data ?? "{}") as Data;
      assert.equal(at(queued, "payload.metadata.conversation"), SEND.conversation);
    },
  },
  {
    id: "C101",
    says: "`attachments` of /chat/send are what an upload answered.",
    async check({ kept, asked, get }) {
      ok(kept.attached.sent);
      const { session } = ok(await get("/sessions/attached"));
      assert.equal(at(session, "has_attachments"), true);
      assert.ok(JSON.stringify(asked).includes("answer.txt"), "the model hears of it");
    },
  },
  {
    id: "C102",
    says: "`model: hermes-agent` is the configured model.",
    check({ kept }) {
      assert.equal(`${String(kept.run["provider"])}/${String(kept.run["model"])}`, MODEL);
    },
  },
  {
    id: "C103",
    says: "`model` of /chat/send chooses the model.",
    async check({ post, ended }) {
      const chosen = async (body: Data) => {
        const sent = ok(await post("/chat/send", { message: "say hello", ...body }));
        const { provider, model } = await ended(sent["run_id"]);
        return `${String(provider)}/${String(model)}`;
      };
      assert.equal(await chosen({ model: "demo" }), "demo/demo", "by its bare name");
      assert.equal(await chosen({ model: "gpt-5.4" }), MODEL);
      assert.equal(await chosen({ model: "gpt-5.4", provider: "acme" }), MODEL);
      for (const model of ["gpt-none", "nosuch/model"]) {
        const details = refused(
          await post("/chat/send", { message: "hi", model }),
          400,
          "invalid_model",
        );
        assert.equal(details["model"], model, "never another one in its place");
      }
    },
  },
  {
    id: "C104",
    says: "The status of a message that was taken is `started`.",
    difference:
      "The same for a message that waits behind an active run, because the document has no other status; `queued: true` marks it.",
    check({ kept }) {
      const emitted = [kept.busy.first, kept.busy.second].map((answer) => {
        const { status, queued } = ok(answer);
        return [status, queued];
      });
      assert.deepEqual(emitted, [
        ["started", false],
        ["started", true],
      ]);
      assert.equal(kept.busy.secondEnd["status"], "completed");
    },
  },
  {
    id: "C105",
    says: "A body that does not fit is refused with what is wrong with it.",
    async check({ post, ask }) {
      const bad: [body: unknown, code: string][] = [
        [{}, "invalid_prompt"],
        [{ message: "  " }, "invalid_prompt"],
        [{ message: "x", session_id: "a b" }, "invalid_session_id"],
        [{ message: "x", attachments: "none" }, "invalid_attachments"],
        [{ message: "x", model: 7 }, "invalid_model"],
        [[], "invalid_json"],
      ];
      for (const [body, code] of bad) refused(await post("/chat/send", body), 400, code);
      refused(await ask("POST", "/chat/send", '{"message":'), 400, "invalid_json");
    },
  },
];

const CONTROLS: readonly ConsoleRow[] = [
  {
    id: "C106",
    says: "POST /chat/stop stops a run.",
    async check({ kept, post }) {
      const { stop, late, firstEnd } = kept.busy;
      assert.deepEqual([ok(stop)["stop_requested"], firstEnd["status"]], [true, "cancelled"]);
      const again = ok(late);
      assert.deepEqual([again["stop_requested"], again["status"]], [false, "not_active"]);
      refused(await post("/chat/stop", { run_id: "run_987" }), 404, "not_found");
    },
  },
  {
    id: "C107",
    says: "POST /chat/retry asks the newest message of a session again.",
    async check({ kept, post, get }) {
      const { first, retried, nothingToRetry } = kept.again;
      const { status, retried_from_run_id, run_id } = ok(retried);
      assert.deepEqual([status, retried_from_run_id], ["started", ok(first)["run_id"]]);
      assert.notEqual(run_id, retried_from_run_id);
      const { run } = ok(await get(`/chat/run/${String(run_id)}`));
      assert.deepEqual([at(run, "prompt"), at(run, "status")], ["Say it.", "completed"]);
      refused(nothingToRetry, 409, "nothing_to_retry");
      refused(await post("/chat/retry", { session_id: "nobody" }), 404, "not_found");
    },
  },
  {
    id: "C108",
    says: "POST /chat/undo takes the newest exchange of a session back.",
    async check({ kept, get }) {
      const { undone, nothing, retried } = kept.again;
      const emitted = ok(undone);
      assert.deepEqual([emitted["undone"], emitted["run_id"]], [true, ok(retried)["run_id"]]);
      assert.equal(ok(nothing)["undone"], false, "nothing is left");
      const { items } = ok(await get("/sessions/again/transcript"));
      assert.deepEqual(items, []);
    },
  },
];

export const CONSOLE_CHAT: readonly ConsoleRow[] = [...META, ...SENDING, ...CONTROLS];
