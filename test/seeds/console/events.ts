// C171–C179: the events every client of the document waits for.
import assert from "node:assert/strict";
import { framesOf, isKind, type ConsoleRow } from "./checks.ts";
import { CHOICES, CLARIFY, COMMANDS, FOUND, SEND, SUBAGENT, TODO } from "./script.ts";
import type { ConsoleFrame } from "./world.ts";

export const CONSOLE_EVENTS: readonly ConsoleRow[] = [
  {
    id: "C171",
    says: "`run.started` has `message_id` and `title`.",
    check({ kept }) {
      const [{ payload }] = framesOf(kept, "run.started") as [ConsoleFrame];
      assert.equal(payload["message_id"], kept.items[0]?.["id"]);
      assert.equal(payload["title"], SEND.message);
    },
  },
  {
    id: "C172",
    says: "`message.assistant.delta` has `message_id` and `delta`.",
    check({ kept }) {
      const deltas = framesOf(kept, "message.assistant.delta").map(({ payload }) => payload);
      for (const { message_id } of deltas) isKind(message_id, "text", "message_id");
      const first = deltas[0]?.["message_id"];
      const said = deltas.filter(({ message_id }) => message_id === first);
      const text = said.map(({ delta }) => delta).join("");
      assert.equal(text, "The API server currently exposes ");
    },
  },
  {
    id: "C173",
    says: "`tool.started` has `tool_call_id`, `tool_name` and `arguments`.",
    check({ kept }) {
      const { payload } = framesOf(kept, "tool.started")[0] as ConsoleFrame;
      assert.equal(payload["tool_name"], "search_files");
      assert.deepEqual(payload["arguments"], { pattern: "api_server" });
      assert.equal(payload["tool_call_id"], kept.timeline[0]?.["id"]);
    },
  },
  {
    id: "C174",
    says: "`tool.completed` has the `tool_call_id` of its start, and `duration_ms`.",
    check({ kept }) {
      const ended = framesOf(kept, "tool.completed").map(({ payload }) => payload);
      assert.equal(ended.length, kept.timeline.length);
      for (const { tool_call_id, duration_ms } of ended) {
        const call = kept.timeline.find(({ id }) => id === tool_call_id);
        assert.equal(duration_ms, call?.["duration_ms"]);
      }
    },
  },
  {
    id: "C175",
    says: "`approval.requested` has `request_id`, `title`, `prompt` and `choices`.",
    check({ kept }) {
      const asked = framesOf(kept, "approval.requested").map(({ payload }) => payload);
      assert.deepEqual(asked, kept.approvals, "exactly what is listed as pending");
      assert.equal(asked[1]?.["prompt"], COMMANDS.denied);
    },
  },
  {
    id: "C176",
    says: "`clarify.requested` has `request_id`, `title`, `prompt` and `choices`.",
    check({ kept }) {
      const { payload } = framesOf(kept, "clarify.requested")[0] as ConsoleFrame;
      assert.deepEqual(payload, kept.question, "exactly what is listed as pending");
      isKind(payload["title"], "text", "title");
      assert.deepEqual([payload["prompt"], payload["choices"]], [CLARIFY.question, CHOICES]);
    },
  },
  {
    id: "C177",
    says: "`todo.updated` has `items`, each with `id`, `content` and `status`.",
    check({ kept }) {
      const { payload } = framesOf(kept, "todo.updated")[0] as ConsoleFrame;
      assert.deepEqual(payload["items"], TODO);
    },
  },
  {
    id: "C178",
    says: "`subagent.completed` has `subagent_id`, `title` and `summary`.",
    check({ kept }) {
      const { payload } = framesOf(kept, "subagent.completed")[0] as ConsoleFrame;
      assert.deepEqual([payload["title"], payload["summary"]], [SUBAGENT.title, FOUND]);
      const started = framesOf(kept, "subagent.started")[0] as ConsoleFrame;
      assert.equal(payload["subagent_id"], started.payload["subagent_id"]);
      assert.equal(payload["subagent_id"], kept.timeline[2]?.["id"]);
    },
  },
  {
    id: "C179",
    says: 'The `summary` of `tool.completed` can be shown as it is: "12 matches".',
    check({ kept }) {
      const said = framesOf(kept, "tool.completed").map(({ payload }) =>
        String(payload["summary"]),
      );
      assert.equal(said[0], "12 matches");
      for (const summary of said) assert.doesNotMatch(summary, /^$|[{}]/, "never JSON");
    },
  },
];
