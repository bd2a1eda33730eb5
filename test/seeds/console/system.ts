// C147–C160: settings, logs, the browser, and sound.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../support/http.ts";
import { wav } from "../../support/sounds.ts";
import { webServer } from "../../support/servers/web-server.ts";
import { at, isKind, ok, refused, unsupported, type ConsoleRow } from "./checks.ts";
import { ANSWER } from "./script.ts";
import type { ConsoleWorld, Data } from "./world.ts";

const PROFILE = "profile:default"; // a change of it restarts nothing

const SETTINGS: readonly ConsoleRow[] = [
  {
    id: "C147",
    says: "GET /settings returns a masked snapshot, split by sections.",
    async check({ get }) {
      const settings = ok(await get("/settings"))["settings"] as Data;
      for (const [name, section] of Object.entries(settings)) isKind(section, "object", name);
      assert.equal(at(settings, "models.model"), "acme/gpt-5.4");
      assert.deepEqual(at(settings, "keys.model"), { present: true });
      assert.deepEqual(at(settings, "keys.anthropic"), { present: false });
    },
  },
  {
    id: "C148",
    says: "PATCH /settings takes partial updates of what may be edited.",
    async check({ ask, get }) {
      const changed = ok(
        await ask("PATCH", "/settings", { [PROFILE]: { approval_expires_s: 300 } }),
      );
      assert.equal(at(changed, `settings.${PROFILE}.approval_expires_s`), 300);
      const { settings } = ok(await get("/settings"));
      assert.equal(at(settings, `${PROFILE}.approval_expires_s`), 300);
      assert.equal(at(settings, "models.model"), "acme/gpt-5.4", "the rest stays");
      const reach = await ask("PATCH", "/settings", { access: { host: "0.0.0.0" } });
      refused(reach, 403, "forbidden");
    },
  },
  {
    id: "C149",
    says: "PATCH /settings takes safe sections only.",
    difference:
      "`agent`, `display` and `keys` are shown, because the real client looks for them, and cannot be changed here: the refusal says why. `editable` of GET /settings lists what can be.",
    async check({ ask, get }) {
      const editable = ok(await get("/settings"))["editable"] as Data;
      assert.ok((editable["models"] as string[]).includes("model_attempts"));
      assert.ok(!(editable["models"] as string[]).includes("base_url"), "of the environment");
      for (const section of ["agent", "display", "keys"]) {
        assert.ok(!(section in editable));
        const patch = { [PROFILE]: { approval_expires_s: 60 }, [section]: { any: 1 } };
        const answer = await ask("PATCH", "/settings", patch);
        assert.equal(refused(answer, 403, "read_only_section")["section"], section);
      }
      const { settings } = ok(await get("/settings"));
      assert.equal(at(settings, `${PROFILE}.approval_expires_s`), 300, "nothing of it was done");
    },
  },
  {
    id: "C150",
    says: "GET /settings shows what is in force, also what the environment gives.",
    async check({ get }) {
      const { settings } = ok(await get("/settings"));
      assert.match(String(at(settings, "models.base_url")), /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    },
  },
];

/** As the programs of this home write their logs. */
function logged({ place }: ConsoleWorld, message: string): void {
  const folder = join(place.home, "logs");
  mkdirSync(folder, { recursive: true });
  const line = { at: new Date().toISOString(), level: "info", kind: "cron", message };
  appendFileSync(join(folder, "cron.log"), `${JSON.stringify(line)}\n`);
}

const LOGS: readonly ConsoleRow[] = [
  {
    id: "C151",
    says: "GET /logs returns lines of a `kind`, by `offset` and `limit`.",
    async check(world) {
      const { get } = world;
      for (const kind of ["errors", "gateway", "cron", "tool_debug"]) {
        const { logs } = ok(await get(`/logs?kind=${kind}`));
        assert.equal(at(logs, "kind"), kind);
      }
      const before = Number(at(ok(await get("/logs?kind=cron")), "logs.line_count"));
      for (const message of ["one", "two", "three"]) logged(world, message);
      const { logs } = ok(await get(`/logs?kind=cron&offset=${before + 1}&limit=1`));
      const lines = at(logs, "lines") as string[];
      assert.deepEqual([lines.length, at(logs, "line_count")], [1, before + 3]);
      assert.match(String(lines[0]), /cron: two/);
      const { logs: errors } = ok(await get("/logs?kind=errors"));
      assert.doesNotMatch(String(at(errors, "lines")), /cron: two/, "each kind by itself");
      refused(await get("/logs?kind=other"), 400, "invalid_request");
    },
  },
  {
    id: "C152",
    says: "GET /logs?follow waits for more.",
    difference:
      "The document does not say how: the answer waits up to 25 seconds until there is a line after `offset`, and gives `next_offset` to go on with. Without an `offset` it comes at once.",
    async check(world) {
      const { get } = world;
      const { logs } = ok(await get("/logs?kind=cron&follow=1"));
      const next = String(at(logs, "next_offset"));
      const waiting = get(`/logs?kind=cron&offset=${next}&follow=1`);
      const page = ok(await get(`/logs?kind=cron&offset=${next}`));
      assert.deepEqual(at(page, "logs.lines"), [], "nothing is there yet");
      logged(world, "at last");
      const followed = ok(await waiting);
      assert.match(String(at(followed, "logs.lines.0")), /cron: at last/);
      assert.equal(at(followed, "logs.next_offset"), Number(next) + 1);
    },
  },
];

const CHROME = "Chrome/140.0";

const BROWSER: readonly ConsoleRow[] = [
  {
    id: "C153",
    says: "GET /browser/status returns the backend, the connection and where recordings are.",
    async check({ get }) {
      const { browser } = ok(await get("/browser/status"));
      assert.deepEqual([at(browser, "mode"), at(browser, "connected")], ["none", false]);
      isKind(at(browser, "requirements_ok"), "boolean", "requirements_ok");
      assert.equal(at(browser, "recording_path"), null, "what it saw is in the journal");
    },
  },
  {
    id: "C154",
    says: "POST /browser/connect connects to a live Chrome.",
    async check({ post }) {
      const body = { mode: "live_chrome" };
      const nowhere = { ...body, cdp_url: "http://127.0.0.1:9" };
      const refusal = await post("/browser/connect", nowhere);
      refused(refusal, 409, "conflict");
      assert.match(refusal.body.error.message, /Start Chrome with --remote-debugging-port/);
      const usual = await post("/browser/connect", body); // whether there is one here or not
      const url =
        usual.status === 200
          ? at(ok(usual), "browser.cdp_url")
          : refused(usual, 409, "conflict")["cdp_url"];
      assert.equal(url, "http://127.0.0.1:9222");
      await using chrome = await webServer((request, response) =>
        response.end(request.url === "/json/version" ? JSON.stringify({ Browser: CHROME }) : "{}"),
      );
      const { browser } = ok(await post("/browser/connect", { ...body, cdp_url: chrome.origin }));
      const { mode, connected, cdp_url, version } = browser as Data;
      const emitted = ["live_chrome", true, chrome.origin, CHROME];
      assert.deepEqual([mode, connected, cdp_url, version], emitted);
    },
  },
  {
    id: "C155",
    says: "POST /browser/disconnect takes the browser away again.",
    async check({ post, get }) {
      assert.equal(at(ok(await get("/browser/status")), "browser.connected"), true, "before");
      assert.equal(at(ok(await post("/browser/disconnect")), "browser.mode"), "none");
      assert.equal(at(ok(await get("/browser/status")), "browser.connected"), false);
    },
  },
];

async function upload({ server }: ConsoleWorld, parts: readonly [field: string, name: string][]) {
  const form = new FormData();
  for (const [field, name] of parts) {
    form.append(field, new Blob([new Uint8Array(wav())], { type: "audio/wav" }), name);
  }
  const headers = { authorization: `Bearer ${server.token}` };
  const reply = await fetch(`${server.url}/api/gui/media/upload`, {
    method: "POST",
    headers,
    body: form,
  });
  const body = (await reply.json()) as Awaited<ReturnType<ConsoleWorld["get"]>>["body"];
  return { status: reply.status, headers: reply.headers, body };
}

const MEDIA: readonly ConsoleRow[] = [
  {
    id: "C156",
    says: "POST /media/upload takes multipart uploads and returns normalized metadata.",
    async check({ kept, server }) {
      const { media } = kept.attached;
      assert.deepEqual([media["filename"], media["content_type"]], ["answer.txt", "text/plain"]);
      const headers = { authorization: `Bearer ${server.token}` };
      const stored = await fetch(`${server.url}${String(media["file_path"])}`, { headers });
      const text = await stored.text();
      assert.deepEqual([text, media["size"]], [`${ANSWER}\n`, Buffer.byteLength(text)]);
    },
  },
  {
    id: "C157",
    says: "Uploads are multipart.",
    difference:
      "The document names neither a field nor a number: one file at a time is taken, in the field `file`. Anything else is refused.",
    async check(world) {
      refused(await upload(world, [["upload", "a.wav"]]), 400, "missing_file");
      const two = await upload(world, [
        ["file", "a.wav"],
        ["file", "b.wav"],
      ]);
      refused(two, 400, "invalid_request");
    },
  },
  {
    id: "C158",
    says: "POST /media/transcribe takes the reference of uploaded audio and returns what is said.",
    async check(world) {
      const { media } = ok(await upload(world, [["file", "a.wav"]]));
      const heard = ok(
        await world.post("/media/transcribe", { file_path: at(media, "file_path") }),
      );
      assert.equal(at(heard, "transcription.text"), `Heard ${wav().length} bytes.`);
    },
  },
  {
    id: "C159",
    says: "POST /media/tts takes a text and returns the path and metadata of the sound.",
    async check({ post, server }) {
      const { tts } = ok(await post("/media/tts", { text: "Hello." }));
      assert.deepEqual([at(tts, "content_type"), at(tts, "filename")], ["audio/wav", "speech.wav"]);
      const headers = { authorization: `Bearer ${server.token}` };
      const sound = await fetch(`${server.url}${String(at(tts, "file_path"))}`, { headers });
      assert.equal((await sound.arrayBuffer()).byteLength, at(tts, "size"));
    },
  },
  {
    id: "C160",
    says: "Without a backend for sound, both say that they are not supported.",
    async check({ old }) {
      for (const path of ["/media/transcribe", "/media/tts"]) {
        const body = { text: "x", file_path: "y" };
        const answer = await call(old, "POST", `/api/gui${path}`, body);
        isKind(at(unsupported(answer), "details.how"), "text", "what to set");
      }
      const meta = ok(await call(old, "GET", "/api/gui/meta"));
      assert.equal(at(meta, "features.voice"), false);
    },
  },
];

export const CONSOLE_SYSTEM: readonly ConsoleRow[] = [...SETTINGS, ...LOGS, ...BROWSER, ...MEDIA];
