import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { sealer } from "../../../kernel/journal/hash-chain.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { MAX_IMPORT_BYTES } from "../../../kernel/events/share-policy.ts";
import { DATA_BEGINS, DATA_ENDS } from "./html.ts";
import { shareServer, emitted } from "./test-support.ts";

type Answer = { statusCode: number; body: string };
const outcomeOf = ({ body }: Answer) => (JSON.parse(body) as { data: Outcome }).data;
const errorOf = ({ body }: Answer) =>
  (JSON.parse(body) as { error: { code: string; message: string; details: { reason?: string } } })
    .error;
const page = (lines: string) =>
  `<!doctype html>\n${DATA_BEGINS}${gzipSync(lines).toString("base64")}${DATA_ENDS}`;

type Server = Awaited<ReturnType<typeof shareServer>>;
const plain = async (server: Server, sessionId: string, query = "&policy=full") =>
  (await server.get(`/api/sessions/${sessionId}/export?format=json${query}`)).body;
const events = (text: string) =>
  emitted(text).lines.filter((line) => line.startsWith('{"event_id"'));

test("[Y5, Y6] every recorded session, as lines and as a page, comes back as it was", async () => {
  await using server = await shareServer();
  for (const { session_id, title } of await server.sessions()) {
    const lines = await plain(server, session_id);
    const taken = outcomeOf(await server.send(lines));
    assert.equal(taken.status, "accepted", taken.safe_message);
    const here = taken.session_id ?? "";
    assert.notEqual(here, session_id);
    const record = await server.journal.reads.session(here);
    assert.deepEqual([record?.source, record?.title], ["import", title || "Untitled recording"]);
    assert.equal((await server.get(`/api/sessions/${here}/recording`)).body, lines);
    assert.deepEqual(events(await plain(server, here)), events(lines), "and can be told again");

    const html = await server.get(`/api/sessions/${session_id}/export?policy=full`);
    assert.equal(outcomeOf(await server.send(html.rawPayload)).session_id, here, "the same again");
    const shared = outcomeOf(await server.send(await plain(server, session_id, "")));
    assert.equal(shared.status, "accepted", "another policy is another recording");
  }
});

test("[Y5] the files of every run are taken too", async () => {
  await using server = await shareServer();
  for (const { session_id } of await server.sessions()) {
    for (const { run_id } of await server.journal.reads.runsOf(session_id)) {
      const { body } = await server.get(`/api/runs/${run_id}/export?format=json`);
      const answer = await server.send(body);
      assert.equal(answer.statusCode, 202, answer.body);
    }
  }
});

test("[Y5c] the same file twice is one session, unless another is asked for", async () => {
  await using server = await shareServer();
  const [first] = await server.sessions();
  const file = await plain(server, first?.session_id ?? "");
  const one = outcomeOf(await server.send(file));
  const answer = await server.send(file);
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(
    [outcomeOf(answer).status, outcomeOf(answer).session_id],
    ["duplicate", one.session_id],
  );
  const other = outcomeOf(await server.send(file, "?again=1"));
  assert.equal(other.status, "accepted");
  assert.notEqual(other.session_id, one.session_id);
  const noted = server.notes.filter(({ action }) => action === "import");
  assert.deepEqual(
    noted.map(({ outcome }) => outcome),
    ["accepted", "duplicate", "accepted"],
  );
});

test("[Y6a] what a file says grants nothing, asks nothing, counts nothing and runs nothing", async () => {
  await using server = await shareServer();
  const { journal } = server;
  const before = {
    pending: await journal.reads.pending({}),
    inbox: await journal.reads.inbox(),
    rules: await journal.reads.rules("nobody", "default"),
    usage: await journal.reads.usageSince(0),
  };
  for (const { session_id } of await server.sessions()) {
    await server.send(await plain(server, session_id));
  }
  assert.deepEqual(
    {
      pending: await journal.reads.pending({}),
      inbox: await journal.reads.inbox(),
      rules: await journal.reads.rules("nobody", "default"),
      usage: await journal.reads.usageSince(0),
    },
    before,
  );
  const lists = await s.lists(journal);
  await journal.upkeep.rebuild();
  assert.deepEqual(await s.lists(journal), lists);
  assert.deepEqual(await journal.upkeep.verify(), []);
  const imported = (await server.sessions()).find(({ source }) => source === "import");
  const session_id = imported?.session_id ?? "";
  assert.deepEqual(await journal.reads.runsOf(session_id), []);
  await assert.rejects(journal.commands.startRun({ message: "go on", session_id }, s.DEFAULTS), {
    code: "forbidden",
  });
  assert.deepEqual(await journal.reads.runsOf(session_id), []);
});

type Body = readonly string[];
const MANIFEST = {
  quarterdeck: "recording",
  version: 1,
  protocol: 1,
  program: "0.1.0",
  kind: "session",
  session_id: "s9",
  run_id: null,
  title: "t",
  created_at: 1,
  exported_at: 2,
  exported_by: "me",
  policy: "full",
  without: [],
  redacted: 0,
  contents: 0,
  missing: { large: 0, secret: 0, gone: 0, policy: 0 },
};
const CREATED = {
  title: "t",
  source: "api",
  workspace: "/w",
  model: "demo/demo",
  profile: "default",
  parent_session_id: null,
};
const GENESIS = "0".repeat(64);
const seal = sealer({ logId: "s9", sessionId: "s9", epoch: "e" });
const sealed = (type: string, payload: unknown, seq: number, prevHash: string, at = "1") =>
  seal({ type, payload } as never, { seq, sessionSeq: seq, at, prevHash });
const first = sealed("session.created", CREATED, 1, GENESIS);
const renamed = sealed("title.updated", { title: "u", source: "user" }, 2, first.hash);

function file(body: Body, change: Record<string, unknown> = {}): string {
  const manifest = { ...MANIFEST, events: body.length, verified: body.length, ...change };
  const end = { lines: body.length, sha256: hash("sha256", body.map((l) => `${l}\n`).join("")) };
  return [JSON.stringify(manifest), ...body, JSON.stringify({ end }), ""].join("\n");
}

const swapped = (text: string, from: string, to: string) => text.replace(from, to);
const content = (bytes: number) =>
  `{"content":{"sha256":"${hash("sha256", "x")}","bytes":${bytes},"base64":"eA=="}}`;
const deep = `${'{"a":'.repeat(80)}1${"}".repeat(80)}`;
const whole = file([first.body, renamed.body]);

/** What is wrong, how it looks, and a word of the refusal. */
const HOSTILE: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ["nothing at all", "", /neither a page nor/],
  ["something else", "PK\x03\x04zip", /neither a page nor/],
  ["packed lines without a page", gzipSync(whole), /neither a page nor/],
  ["a page of somebody else", "<!doctype html><script>alert(1)</script>", /no recording/],
  [
    "a page whose data are a script",
    `<!doctype html>${DATA_BEGINS}alert(1)</script>`,
    /not base64/,
  ],
  [
    "base64 of something else",
    `<!doctype html>${DATA_BEGINS}aGVsbG8=</script>`,
    /cannot be unpacked/,
  ],
  ["a page that was cut", page(whole).slice(0, -40), /no recording|unpacked/],
  ["lines that were cut", file([first.body]).split("\n").slice(0, 2).join("\n"), /cut off/],
  ["another first line", `{"hello":1}\n`, /first line/],
  ["a newer file", file([first.body], { version: 2 }), /newer Quarterdeck/],
  ["a newer protocol", file([first.body], { protocol: 2 }), /newer Quarterdeck/],
  ["a wrong manifest", file([first.body], { session_id: "a b" }), /line is wrong/],
  ["made in no year", file([first.body], { exported_at: 1e300 }), /line is wrong/],
  ["begun in no year", file([first.body], { created_at: -1 }), /line is wrong/],
  ["no event", file([]), /no event/],
  ["more than it says", file([first.body], { events: 2 }), /events that it says/],
  ["a changed word", swapped(whole, '"title":"u"', '"title":"v"'), /hash does not fit/],
  [
    "a changed word that is called redacted",
    file([first.body, `${renamed.body.slice(0, -1)},"redacted":true}`]),
    /events that it says/,
  ],
  ["a duplicate", file([first.body, first.body]), /number was there already/],
  [
    "a hole",
    file([first.body, sealed("title.updated", { title: "u", source: "user" }, 3, first.hash).body]),
    /missing/,
  ],
  [
    "a broken chain",
    file([first.body, sealed("title.updated", { title: "u", source: "user" }, 2, GENESIS).body]),
    /chain is broken/,
  ],
  [
    "an older time",
    file([
      first.body,
      sealed("title.updated", { title: "u", source: "user" }, 2, first.hash, "0.5").body,
    ]),
    /older/,
  ],
  [
    "an unknown event",
    file([sealed("session.invented", {}, 1, GENESIS).body]),
    /newer Quarterdeck/,
  ],
  [
    "a wrong payload",
    file([sealed("session.created", { ...CREATED, title: 7 }, 1, GENESIS).body]),
    /session\.created/,
  ],
  ["another session", file([first.body], { session_id: "s8" }), /another session/],
  [
    "an end without a run",
    file([swapped(first.body, '"terminal":false', '"terminal":true')]),
    /no end of a run/,
  ],
  [
    "an extra field",
    file([swapped(first.body, '"terminal"', '"x":1,"terminal"')]),
    /Unrecognized/i,
  ],
  ["an array", file([first.body, "[1]"]), /Event 2/],
  ["no JSON", file([first.body, "{"]), /not JSON/],
  ["too deep", file([first.body, deep]), /deeper/],
  [
    "not UTF-8",
    Buffer.concat([Buffer.from(file([first.body])), Buffer.from([0xff, 0xfe])]),
    /UTF-8|after its end/,
  ],
  ["something after the end", `${file([first.body])}{}`, /after its end/],
  [
    "a content that lies",
    file([first.body, content(2)], { events: 1, verified: 1, contents: 1 }),
    /not what its name says/,
  ],
  [
    "a content twice",
    file([first.body, content(1), content(1)], { events: 1, verified: 1, contents: 2 }),
    /twice/,
  ],
  [
    "an event after contents",
    file([first.body, content(1), renamed.body], { events: 2, verified: 2, contents: 1 }),
    /after the contents/,
  ],
  [
    "an event that is written otherwise, where no hash tells", // nobody would find it when it is told again
    file([JSON.stringify({ redacted: true, ...JSON.parse(first.body) })], {
      redacted: 1,
      verified: 0,
    }),
    /not written as/,
  ],
  [
    "a content that is written otherwise",
    file([first.body, content(1).replace('{"content":{', '{"content":{ ')], {
      events: 1,
      verified: 1,
      contents: 1,
    }),
    /not written as/,
  ],
  [
    "a mark of byte order inside",
    file([first.body, `\uFEFF${renamed.body}`]),
    /does not fit|not written/,
  ],
  ["a wrong count", swapped(whole, '"lines":2', '"lines":1'), /changed or cut/],
];

function everythingIn(folder: string): string[] {
  return readdirSync(join(folder, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

test("[Y5a] a file that is not whole, not ours or not true is refused, and nothing of it is left", async () => {
  await using server = await shareServer({ filled: false });
  assert.equal(
    outcomeOf(await server.send(whole)).status,
    "accepted",
    "what the others differ from",
  );
  const kept = everythingIn(server.home);
  for (const [name, bytes, words] of HOSTILE) {
    for (const sent of typeof bytes === "string" && bytes.startsWith("{")
      ? [bytes, page(bytes)]
      : [bytes]) {
      const answer = await server.send(sent);
      assert.ok([400, 413].includes(answer.statusCode), `${name}: ${answer.body}`);
      assert.match(errorOf(answer).message, words, name);
    }
  }
  assert.equal((await server.sessions()).length, 1);
  assert.deepEqual(everythingIn(server.home), kept);
  assert.equal(server.notes.length, 1);
});

test("[Y5] a mark of byte order that an editor put before a file is no part of what is kept", async () => {
  await using server = await shareServer({ filled: false });
  const { session_id } = outcomeOf(await server.send(`\uFEFF${whole}`));
  const kept = await server.get(`/api/sessions/${session_id ?? ""}/recording`);
  assert.deepEqual(kept.rawPayload, Buffer.from(whole));
});

test("[Y5] what unpacks to more than the bound is stopped, and so is a body that is too long", async () => {
  await using server = await shareServer({ filled: false });
  const zeros = Buffer.alloc(1 << 20, 32);
  const bomb = gzipSync(Buffer.concat(Array.from({ length: 300 }, () => zeros)), { level: 9 });
  assert.ok(bomb.length < 1 << 20, "300 MB in less than one");
  const answer = await server.send(
    `<!doctype html>${DATA_BEGINS}${bomb.toString("base64")}${DATA_ENDS}`,
  );
  assert.deepEqual([answer.statusCode, errorOf(answer).code], [413, "too_large"]);
  const long = await server.send("{}", "", { "content-length": String(MAX_IMPORT_BYTES + 1) });
  assert.equal(long.statusCode, 413);
  assert.deepEqual(await server.sessions(), []);
});

test("[Y5] every other refusal has its code", async () => {
  await using server = await shareServer({ filled: false });
  const json = await server.send(whole, "", { "content-type": "application/json" });
  assert.equal(errorOf(json).code, "unsupported_media_type");
  assert.match(errorOf(json).message, /uploads take the file itself/, "not: send JSON");
  assert.equal(errorOf(await server.send(whole, "?again=yes")).code, "invalid_request");
  const [one, two] = await Promise.all([server.send(whole), server.send(whole)]);
  const codes = [one, two].map((answer) => answer.statusCode);
  assert.ok(codes.includes(202), String(codes));
  assert.ok(codes.includes(200) || codes.includes(429), String(codes));
  assert.equal((await server.sessions()).length, 1, "and never two");
});
