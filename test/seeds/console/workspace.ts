// C120–C135: files, what was changed, processes, and what waits for a person.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SESSION } from "./acts.ts";
import { at, framesOf, isKind, listIn, ok, refused, type ConsoleRow } from "./checks.ts";
import { CHOICES, COMMANDS } from "./script.ts";
import type { Data } from "./world.ts";

const names = (node: unknown) => (at(node, "children") as Data[]).map(({ name }) => name);
const pathsIn = (data: Data) => new Set(listIn(data, "matches").map(({ path }) => path));

const FILES: readonly ConsoleRow[] = [
  {
    id: "C120",
    says: "GET /workspace/tree lists the folder `root`, as deep as `depth` says.",
    async check({ get }) {
      const { tree } = ok(await get("/workspace/tree?depth=1"));
      assert.deepEqual(names(tree), ["notes.txt", "routes.txt", "src"]);
      assert.deepEqual(names(at(tree, "children.2")), [], "no deeper");
      const { tree: deep } = ok(await get("/workspace/tree?root=src&depth=2"));
      assert.deepEqual([names(deep), names(at(deep, "children.0"))], [["deep"], ["a.ts"]]);
      refused(await get("/workspace/tree?root=/etc"), 400, "invalid_path");
    },
  },
  {
    id: "C121",
    says: "GET /workspace/file returns the file at `path`.",
    async check({ get, place }) {
      for (const path of ["src/deep/a.ts", join(place.workspace, "src/deep/a.ts")]) {
        const { file } = ok(await get(`/workspace/file?path=${encodeURIComponent(path)}`));
        assert.equal(at(file, "content"), "export const a = 1;\n");
      }
      refused(await get("/workspace/file?path=none.txt"), 404, "not_found");
      refused(await get("/workspace/file?path=../home/token"), 400, "invalid_path");
    },
  },
  {
    id: "C122",
    says: "GET /workspace/search looks for `pattern` below `path`, in files like `file_glob`.",
    async check({ get }) {
      const all = ok(await get("/workspace/search?pattern=export"));
      assert.deepEqual(pathsIn(all), new Set(["src/deep/a.ts"]));
      const search = async (query: string) =>
        listIn(ok(await get(`/workspace/search?${query}`)), "matches").length;
      assert.equal(await search("pattern=route&path=src"), 0);
      assert.equal(await search("pattern=api_server&file_glob=*.txt"), 12);
      assert.equal(await search("pattern=api_server&file_glob=*.ts"), 0);
    },
  },
  {
    id: "C123",
    says: "`pattern` of /workspace/search is a pattern.",
    difference:
      "The document does not say of which kind: it is a regular expression. Text is looked for as it is with `query` (the real client's name) or `regex=0`.",
    async check({ get }) {
      const search = async (query: string) =>
        listIn(ok(await get(`/workspace/search?${query}`)), "matches").length;
      const text = encodeURIComponent("route 1.$");
      assert.equal(await search(`pattern=${text}`), 2);
      assert.equal(await search(`pattern=${text}&regex=0`), 0);
      assert.equal(await search(`query=${text}`), 0);
    },
  },
  {
    id: "C124",
    says: "GET /workspace/diff takes `path`, `session_id` and `run_id`.",
    async check({ get, kept }) {
      for (const named of [`session_id=${SESSION}`, `run_id=${kept.runId}`]) {
        const { diff } = ok(await get(`/workspace/diff?path=notes.txt&${named}`));
        assert.match(String(diff), /\+\+\+ b\/notes\.txt[^]*\+Routes\./);
        const { files } = ok(await get(`/workspace/diff?path=other.txt&${named}`));
        assert.deepEqual(files, []);
      }
    },
  },
  {
    id: "C125",
    says: "GET /workspace/diff takes `path` alone.",
    difference:
      "The document does not say against what: it is what the session that changed the file last did to it. Without any parameter the request is refused.",
    async check({ get }) {
      const { diff } = ok(await get("/workspace/diff?path=notes.txt"));
      assert.match(String(diff), /\+Routes\./);
      assert.equal(ok(await get("/workspace/diff?path=routes.txt"))["diff"], "", "not changed");
      refused(await get("/workspace/diff"), 400, "missing_checkpoint_id");
    },
  },
  {
    id: "C126",
    says: "GET /workspace/checkpoints lists those of a `workspace` or a `session_id`.",
    async check({ get, kept, place }) {
      for (const query of [`workspace=${place.workspace}`, `session_id=${SESSION}`]) {
        const found = listIn(ok(await get(`/workspace/checkpoints?${query}`)), "checkpoints");
        const ids = found.map(({ checkpoint_id }) => checkpoint_id);
        assert.ok(ids.includes(kept.checkpoints[0]?.["checkpoint_id"]), query);
      }
      for (const query of ["session_id=again", "workspace=/nowhere"]) {
        const other = ok(await get(`/workspace/checkpoints?${query}`));
        assert.deepEqual(other["checkpoints"], [], query);
      }
    },
  },
  {
    id: "C127",
    says: "POST /workspace/rollback takes back what was done after a checkpoint.",
    async check({ post, kept, place }) {
      const notes = join(place.workspace, "notes.txt");
      assert.ok(existsSync(notes));
      const { checkpoint_id } = kept.checkpoints[0] ?? {};
      const other = await post("/workspace/rollback", { checkpoint_id, path: "routes.txt" });
      refused(other, 400, "invalid_rollback");
      assert.ok(existsSync(notes), "it is no file of that checkpoint");
      const { result } = ok(await post("/workspace/rollback", { checkpoint_id, path: null }));
      assert.equal(at(result, "success"), true);
      assert.ok(!existsSync(notes), "the file that was made is gone");
      const unknown = { checkpoint_id: "cp_123", path: null };
      refused(await post("/workspace/rollback", unknown), 404, "not_found");
    },
  },
];

const PROCESSES: readonly ConsoleRow[] = [
  {
    id: "C128",
    says: "GET /processes lists the commands in the background.",
    check({ kept }) {
      const { first } = kept.processes;
      assert.deepEqual([first["command"], first["status"]], [COMMANDS.background, "running"]);
      isKind(first["process_id"], "text", "process_id");
    },
  },
  {
    id: "C129",
    says: "GET /processes/{id}/log returns lines, by `offset` and `limit`.",
    check({ kept }) {
      const pages = kept.processes.pages.map((page) => {
        const { log_lines, offset, total_lines } = ok(page);
        return [log_lines, offset, total_lines];
      });
      assert.deepEqual(pages, [
        [["one"], 0, 2],
        [["two"], 1, 2],
      ]);
    },
  },
  {
    id: "C130",
    says: "POST /processes/{id}/kill ends a process.",
    async check({ kept, get, post }) {
      ok(kept.processes.killed);
      refused(kept.processes.again, 409, "process_not_running");
      const { processes } = ok(await get(`/processes?session_id=${SESSION}`));
      assert.notEqual(at(processes, "0.status"), "running");
      refused(await post("/processes/p_none/kill"), 404, "not_found");
    },
  },
];

const HUMAN: readonly ConsoleRow[] = [
  {
    id: "C131",
    says: "GET /human/pending returns approvals and clarifications that wait, subagents' too.",
    async check({ kept, get }) {
      assert.equal(kept.approvals.length, 3);
      assert.deepEqual(kept.question["choices"], CHOICES);
      const { runId, request } = kept.nested;
      assert.ok(String(request["run_id"]).startsWith(`${String(runId)}.`), "asked by its child");
      const { pending } = ok(await get(`/human/pending?session_id=${SESSION}`));
      assert.deepEqual(pending, [], "all of them were answered");
    },
  },
  {
    id: "C132",
    says: "POST /human/approve allows a request, with a `scope`.",
    check({ kept }) {
      const [once, , forSession] = kept.answers.map(ok);
      const always = ok(kept.nested.answer);
      const emitted = [once, forSession, always].map((each) => [
        each?.["status"],
        each?.["response"],
      ]);
      const scopes = ["once", "session", "always"];
      assert.deepEqual(
        emitted,
        scopes.map((scope) => ["approved", scope]),
      );
      const decisions = framesOf(kept, "approval.resolved").map(
        ({ payload }) => payload["decision"],
      );
      assert.deepEqual(decisions, ["once", "deny", "session"], "as it was answered");
      assert.equal(kept.nested.run["final_response"], "It asked.");
      assert.ok(JSON.stringify(kept.items).includes("the key is"), "it ran");
    },
  },
  {
    id: "C133",
    says: "POST /human/deny refuses a request.",
    check({ kept }) {
      assert.equal(ok(kept.answers[1] ?? kept.sent)["status"], "denied");
      const denied = kept.timeline.filter(({ status }) => status === "denied");
      assert.equal(at(denied, "0.arguments_preview.command"), COMMANDS.denied);
    },
  },
  {
    id: "C134",
    says: "POST /human/clarify answers a question.",
    check({ kept }) {
      assert.equal(ok(kept.clarified)["response"], CHOICES[1]);
      const call = kept.timeline.find(({ tool_name }) => tool_name === "clarify");
      assert.equal(at(call, "result_preview.response"), CHOICES[1], "the model hears it");
    },
  },
  {
    id: "C135",
    says: "An answer to nothing, of the wrong kind or too late is refused; a repeated one is not.",
    async check({ kept, post }) {
      const nothing = { request_id: "human_123" };
      refused(await post("/human/approve", { ...nothing, scope: "once" }), 404, "not_found");
      refused(await post("/human/deny", nothing), 404, "not_found");
      const answer = { request_id: "human_124", response: "A web app" };
      refused(await post("/human/clarify", answer), 404, "not_found");
      refused(kept.wrongKind, 400, "invalid_request_kind");
      refused(kept.late, 409, "already_answered");
      assert.equal(ok(kept.repeated)["duplicate"], true);
    },
  },
];

export const CONSOLE_WORKSPACE: readonly ConsoleRow[] = [...FILES, ...PROCESSES, ...HUMAN];
