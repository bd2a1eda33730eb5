import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { verify } from "../../../kernel/journal/hash-chain.ts";
import { createRedactor } from "../../../kernel/redact/redact.ts";
import type { Draft, RunEvent } from "../../../kernel/events/events.ts";
import { RecordingManifest } from "../../../kernel/events/recording-file.ts";
import { prepareShare } from "./export.ts";
import { withoutHomes } from "./redact-event.ts";
import { sourceOfSession, type ShareSource } from "./source.ts";
import { shareServer, emitted } from "./test-support.ts";

const code = (answer: { body: string }) =>
  (JSON.parse(answer.body) as { error: { code: string } }).error.code;

test("[Y1, Y2] with everything in it a file has the stored bytes of every event, and the chain holds", async () => {
  await using server = await shareServer();
  for (const { session_id, seq } of await server.sessions()) {
    const answer = await server.get(`/api/sessions/${session_id}/export?format=json&policy=full`);
    assert.equal(answer.statusCode, 200);
    const { manifest, lines } = emitted(answer.body);
    assert.deepEqual(RecordingManifest.parse(manifest), manifest);
    assert.equal(manifest.events, seq);
    assert.equal(manifest.redacted, 0);
    const page = await server.journal.readSession(session_id, 0, seq);
    assert.deepEqual(
      lines.slice(0, seq),
      page?.rows.map(([, , body]) => body),
    );
    assert.ok(lines.slice(0, seq).every((line) => verify(line, undefined) !== undefined));
    const body = lines.slice(0, -1).map((line) => `${line}\n`);
    const end = { end: { lines: body.length, sha256: hash("sha256", body.join("")) } };
    assert.deepEqual(JSON.parse(lines.at(-1) ?? ""), end);
  }
});

test("[Y1, Y2] what a policy leaves out is not there, is said, and its events are marked", async () => {
  await using server = await shareServer();
  let marked = 0;
  for (const { session_id } of await server.sessions()) {
    const parts = "thinking,tool-output,files";
    const path = `/api/sessions/${session_id}/export?format=json&without=${parts}`;
    const { manifest, events, lines } = emitted((await server.get(path)).body);
    const all = ["environment", "files", "paths", "thinking", "tool-output"];
    assert.deepEqual(manifest.without, all);
    assert.equal(manifest.policy, "share");
    assert.equal(events.filter(({ redacted }) => redacted).length, manifest.redacted);
    assert.equal(manifest.redacted + manifest.verified, manifest.events);
    for (const [index, event] of events.entries()) {
      const fits = verify(lines[index] ?? "", undefined) === event.hash;
      assert.equal(fits, event.redacted === undefined, event.event_id);
      if (event.type === "run.started") {
        assert.deepEqual(
          [event.payload.workspace, event.payload.runner_id],
          ["workspace", "runner"],
        );
      }
      if (event.type === "reasoning.done") assert.equal(event.payload.text, "[left out]");
      if (event.type === "tool.done") {
        assert.equal(event.payload.result, null);
        assert.equal(event.payload.output.head, "[left out]");
      }
    }
    marked += manifest.redacted;
    assert.ok(!lines.some((line) => line.includes('/tmp/qd-rec/workspace"')));
  }
  assert.ok(marked > 0);
});

const DELTA = (delta: string): Draft => ({
  type: "token.delta",
  payload: { message_id: "m1.1", delta, content_type: "text" },
});

test("[Y3] a secret that is known only now is in no file, also when it lies across pieces", async () => {
  const value = "sk-abcdefghijklmnop";
  await using server = await shareServer({ filled: false });
  const { journal } = server;
  const runId = await s.start(journal);
  const claim = await s.claimed(journal);
  for (const piece of ["the key is sk-abcd", "efghijkl", "mnop, ok"]) {
    await s.write(journal, claim, DELTA(piece)); // one by one: what comes at once becomes one event
  }
  await s.end(journal, claim);
  const session = (await journal.reads.run(runId))?.session_id ?? "";
  const before = emitted((await server.get(`/api/sessions/${session}/export?format=json`)).body);
  assert.ok(before.lines.join("").includes("efghijkl"));

  const record = await journal.reads.session(session);
  assert.ok(record);
  const request = { policy: "full", without: [], by: "me", at: 1 } as const;
  const redactor = createRedactor([{ name: "key", value }]);
  const share = await prepareShare(await sourceOfSession(journal, record), redactor, request);
  const lines = await Array.fromAsync(share.lines());
  const { events, manifest } = emitted(lines.join("\n"));
  const deltas = events.flatMap((event) => (event.type === "token.delta" ? [event] : []));
  assert.deepEqual(
    deltas.map(({ payload }) => payload.delta),
    ["the key is [redacted:key], ok", "", ""],
  );
  assert.ok(deltas.every(({ redacted }) => redacted));
  assert.equal(manifest.redacted, 3);
  assert.ok(!lines.join("").includes("efghijkl"));
});

test("[Y3a] what looks like a key is in no shared file, whole or in pieces, and in one with everything", async () => {
  const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz";
  await using server = await shareServer({ filled: false });
  const { journal } = server;
  const blob = journal.blobs.create();
  await blob.write(Buffer.from(`TOKEN=${key}\n`));
  const attachments = [{ name: ".env", media_type: "text/plain", ...(await blob.finish()) }];
  await journal.commands.startRun(
    { message: `use ${key}`, session_id: "s1", attachments },
    s.DEFAULTS,
  );
  const claim = await s.claimed(journal);
  for (const piece of [key.slice(0, 10), key.slice(10, 25), key.slice(25)]) {
    await s.write(journal, claim, DELTA(piece));
  }
  await s.end(journal, claim);
  const body = async (policy: string) =>
    emitted((await server.get(`/api/sessions/s1/export?format=json&policy=${policy}`)).body);
  const shared = await body("share");
  assert.ok(!shared.lines.join("").includes("ijklmnop"));
  assert.match(shared.lines.join(""), /use \[redacted:looks-like-sk\]/);
  assert.equal(shared.manifest.missing.secret, 1, "a content that has one is left out whole");
  assert.ok((await body("full")).lines.join("").includes(key));
});

test("[Y3a] names of home folders are left out of a shared file", () => {
  const homes: Record<string, string> = {
    "/home/ada/x.txt": "~/x.txt",
    "cd /Users/ada && ls /root": "cd ~ && ls ~",
    '{"path":"/home/ada"}': '{"path":"~"}',
    "C:\\Users\\ada\\x": "~\\x",
    "C:\\\\Users\\\\ada\\\\x": "~\\\\x",
    '{"path":"\\/home\\/ada\\/x"}': '{"path":"~\\/x"}', // as PHP writes JSON
    "vscode://open?file=%2Fhome%2Fada%2Fx": "vscode://open?file=~%2Fx",
    "c:\\users\\ada\\x": "~\\x",
    "/rooted/home": "/rooted/home",
    "/usr/home/x": "/usr~",
  };
  for (const [text, expected] of Object.entries(homes)) assert.equal(withoutHomes(text), expected);
});

test("[Y1] contents come along in their bounds, and what is missing is counted by why", async () => {
  await using server = await shareServer({ filled: false });
  const { journal } = server;
  const keep = async (content: Buffer) => {
    const blob = journal.blobs.create();
    await blob.write(content);
    return { name: "x", media_type: "text/plain", ...(await blob.finish()) };
  };
  const attachments = [
    await keep(Buffer.from("small")),
    await keep(Buffer.alloc(300 << 10, 97)),
    await keep(Buffer.from("see /home/ada/secret")),
  ];
  await journal.commands.startRun({ message: "go", session_id: "s1", attachments }, s.DEFAULTS);
  const ask = async (query: string) =>
    emitted((await server.get(`/api/sessions/s1/export?format=json&${query}`)).body);
  const shared = await ask("policy=share");
  assert.deepEqual(shared.manifest.missing, { large: 1, secret: 1, gone: 0, policy: 0 });
  assert.equal(shared.manifest.contents, 1);
  assert.deepEqual(JSON.parse(shared.lines.at(-2) ?? ""), {
    content: {
      sha256: attachments[0]?.sha256,
      bytes: 5,
      base64: Buffer.from("small").toString("base64"),
    },
  });
  assert.equal((await ask("policy=full")).manifest.contents, 3);
  const without = await ask("policy=full&without=files");
  assert.deepEqual(without.manifest.missing, { large: 0, secret: 0, gone: 0, policy: 3 });
});

test("[Y1] a run's file has the run, its subagents and the session's name, and no other run", async () => {
  await using server = await shareServer();
  let seen = 0;
  for (const { session_id } of await server.sessions()) {
    const runs = await server.journal.reads.runsOf(session_id);
    for (const { run_id } of runs.filter(({ parent_run_id }) => parent_run_id === null)) {
      const answer = await server.get(`/api/runs/${run_id}/export?format=json&policy=full`);
      const { manifest, events } = emitted(answer.body);
      assert.equal(manifest.kind, "run");
      assert.equal(manifest.run_id, run_id);
      const family = new Set(
        runs.filter((run) => rootOf(run.run_id) === run_id).map((r) => r.run_id),
      );
      const found = new Set(events.map((event) => event.run_id).filter((id) => id !== session_id));
      assert.deepEqual(found, family);
      seen += family.size > 1 ? 1 : 0;
    }
    function rootOf(runId: string): string {
      const parent = runs.find((run) => run.run_id === runId)?.parent_run_id;
      return parent ? rootOf(parent) : runId;
    }
  }
  assert.ok(seen > 0, "one had subagents");
});

test("[Y1, Y4] a page has the same lines, packed, a policy that names its program, and nothing unescaped", async () => {
  await using server = await shareServer({ filled: false });
  const title = '</title><script>alert(1)</script>"\u2028';
  await server.journal.commands.createSession({ session_id: "s1", title }, s.DEFAULTS);
  const answer = await server.get("/api/sessions/s1/export");
  assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
  assert.match(
    String(answer.headers["content-disposition"]),
    /^attachment; filename="quarterdeck-title-script-alert-1-script-s1\.html"$/,
  );
  assert.equal(answer.headers["content-security-policy"], "sandbox; default-src 'none'");
  const [, base64 = ""] = /id="recording"[^>]*>([^<]*)</.exec(answer.body) ?? [];
  const plain = emitted(gunzipSync(Buffer.from(base64, "base64")).toString());
  assert.equal(plain.manifest.title, title);
  assert.equal(answer.body.split("<script").length, 3, "the data and the program, and no other");
  assert.ok(!answer.body.includes("alert(1)</script>"));
  const scripts = [...answer.body.matchAll(/<script>([^]*?)<\/script>/g)];
  const program = scripts[0]?.[1] ?? "";
  assert.equal(program, String.raw`const a = "\x3c/script>\x3c!--";`);
  const digest = Buffer.from(hash("sha256", program), "hex").toString("base64");
  assert.ok(answer.body.includes(`script-src &#39;sha256-${digest}&#39;`));
  assert.ok(answer.body.includes("default-src &#39;none&#39;"));
});

test("[Y1] every refusal of an export has its code, and each export is noted once", async () => {
  await using server = await shareServer({ filled: false });
  const { journal } = server;
  await journal.commands.createSession({ session_id: "s1" }, s.DEFAULTS);
  const wrong: Record<string, string> = {
    "/api/sessions/nobody/export": "session_not_found",
    "/api/runs/nobody/export": "run_not_found",
    "/api/sessions/s1/export?format=pdf": "invalid_request",
    "/api/sessions/s1/export?policy=none": "invalid_request",
    "/api/sessions/s1/export?without=everything": "invalid_request",
    "/api/sessions/a%20b/export": "invalid_request",
    "/api/sessions/s1/recording": "not_found",
    "/api/sessions/nobody/recording": "session_not_found",
  };
  for (const [path, expected] of Object.entries(wrong)) {
    assert.equal(code(await server.get(path)), expected, path);
  }
  assert.deepEqual(server.notes, []);
  await server.get("/api/sessions/s1/export?format=json&policy=full&without=thinking");
  assert.deepEqual(server.notes, [
    {
      action: "export",
      by: "the API",
      session_id: "s1",
      run_id: null,
      events: 1,
      format: "json",
      policy: "full",
      without: ["thinking"],
      outcome: "sent",
    },
  ]);
});

test("[Y1b] a session larger than the bound is refused before the first byte", async () => {
  await using server = await shareServer({ filled: false });
  const { journal } = server;
  await journal.commands.startRun({ message: "go", session_id: "s1" }, s.DEFAULTS);
  const claim = await s.claimed(journal);
  const big = DELTA("x".repeat(1_000_000));
  for (let at = 0; at < 68; at += 1) await s.write(journal, claim, big);
  const answer = await server.get("/api/sessions/s1/export?format=json");
  assert.equal(answer.statusCode, 413);
  assert.equal(code(answer), "too_large");
});

test("[Y1] what is left out does not count: the bound is of what the file tells", async () => {
  await using server = await shareServer({ filled: false });
  const { journal } = server;
  await journal.commands.startRun({ message: "go", session_id: "s1" }, s.DEFAULTS);
  const claim = await s.claimed(journal);
  const thought: Draft = {
    type: "reasoning.delta",
    payload: { reasoning_id: "r1", visibility: "visible", delta: "x".repeat(500_000) },
  };
  for (let at = 0; at < 136; at += 1) await s.write(journal, claim, thought);
  const ask = (without: string) =>
    server.get(`/api/sessions/s1/export?format=json&policy=full&without=${without}`);
  assert.equal(code(await ask("files")), "too_large");
  const answer = await ask("thinking");
  assert.equal(answer.statusCode, 200);
  assert.equal(emitted(answer.body).manifest.redacted, 136);
});

test("[Y1, Y5] a file has no more contents than are taken in elsewhere, and says that some are missing", async () => {
  const path = "many";
  const changes = Array.from({ length: 10_001 }, (_, at) => ({
    path,
    before: { sha256: hash("sha256", `${at}`), bytes: `${at}`.length },
  }));
  const event = { type: "files.changed", payload: { changes } } as unknown as RunEvent;
  const byName = new Map(
    changes.map(({ before: { sha256 } }, at) => [sha256, Buffer.from(`${at}`)]),
  );
  const source: ShareSource = {
    kind: "session",
    sessionId: "s1",
    runId: null,
    title: "many files",
    createdAt: 1,
    events: async function* () {
      yield { body: JSON.stringify(event), event };
    },
    sizeOf: async (sha256) => byName.get(sha256)?.length,
    contentOf: async (sha256) => byName.get(sha256),
  };
  const request = { policy: "full", without: [], by: "me", at: 1 } as const;
  const { manifest } = await prepareShare(source, undefined, request);
  assert.deepEqual([manifest.contents, manifest.missing.large], [10_000, 1]);
});
