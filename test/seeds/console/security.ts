// C180–C184: security and versioning.
import assert from "node:assert/strict";
import { quarterdeck } from "../../support/program.ts";
import { at, framesOf, isKind, ok, unsupported, type ConsoleRow } from "./checks.ts";
import { COMMANDS, SECRET } from "./script.ts";

/** The fields that a client may count on, by schema version. A removed field or another type needs a new version. */
const PROMISED: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: {
    "run.started": "message_id:string title:string prompt:string",
    "message.assistant.delta": "message_id:string delta:string content:string",
    "tool.started": "tool_call_id:string tool_name:string arguments:object preview:string",
    "tool.completed": "tool_call_id:string tool_name:string duration_ms:number summary:string",
    "approval.requested": "request_id:string title:string prompt:string choices:array",
    "clarify.requested": "request_id:string title:string prompt:string choices:array",
    "todo.updated": "items:array todos:array",
    "subagent.completed": "subagent_id:string title:string summary:string status:string",
    "run.completed": "completed:boolean final_response:string usage:object",
  },
};

const typeOf = (value: unknown) => (Array.isArray(value) ? "array" : typeof value);

export const CONSOLE_SECURITY: readonly ConsoleRow[] = [
  {
    id: "C180",
    says: "Sensitive settings return whether they are `present`, and no preview.",
    async check({ get }) {
      const { settings } = ok(await get("/settings"));
      const keys = Object.values(at(settings, "keys") as object);
      assert.ok(keys.length > 3);
      for (const key of keys) {
        assert.deepEqual(Object.keys(key as object), ["present"]);
        isKind(at(key, "present"), "boolean", "present");
      }
    },
  },
  {
    id: "C181",
    says: "Service control needs a capability check.",
    difference:
      "This API controls no services: they are started and stopped from a shell. Requests for it answer the capability envelope.",
    async check({ post }) {
      for (const path of ["/gateway/start", "/gateway/stop", "/system/restart"]) {
        unsupported(await post(path));
      }
    },
  },
  {
    id: "C182",
    says: "Access from other hosts needs auth.",
    async check({ place }) {
      const flags = ["--no-auth", "--host", "0.0.0.0", "--port", "0", "--home", place.home];
      const { code, stderr } = await quarterdeck(["serve", ...flags]);
      assert.ok(code !== 0 && code !== null, "it does not start");
      assert.match(stderr, /--no-auth works only on loopback/);
    },
  },
  {
    id: "C183",
    says: "Secrets in prompts and in what was printed are not returned.",
    check({ kept, asked }) {
      assert.ok(!JSON.stringify([kept.live, kept.approvals]).includes(SECRET));
      const masked = "[redacted:QUARTERDECK_API_KEY]";
      assert.equal(kept.approvals[0]?.["prompt"], COMMANDS.approved.replace(SECRET, masked));
      const printed = framesOf(kept, "tool.output").map(({ payload }) => payload["delta"]);
      assert.ok(printed.join("").includes(masked));
      assert.ok(
        !JSON.stringify(asked.map(({ body }) => body)).includes(SECRET),
        "nor is a model told",
      );
    },
  },
  {
    id: "C184",
    says: "`schema_version` is raised when the shape of an event or an answer changes.",
    difference:
      "Only when a field goes away or changes its type: fields are added without a new number, and clients pass over what they do not know.",
    async check({ kept, get }) {
      const version = Number(ok(await get("/meta"))["schema_version"]);
      const promised = PROMISED[version];
      assert.ok(promised, "the fields of this version are written down");
      for (const [type, fields] of Object.entries(promised)) {
        const names = fields.split(" ").map((field) => field.split(":")[0] ?? "");
        for (const { payload } of framesOf(kept, type)) {
          const served = names.map((name) => `${name}:${typeOf(payload[name])}`);
          assert.equal(served.join(" "), fields, type);
        }
      }
    },
  },
];
