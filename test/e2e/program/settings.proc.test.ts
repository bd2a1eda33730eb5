// Settings over both APIs of a real program: read with secrets masked, changed as a whole or not at all, applied by a
// restart that loses no run, and keys that go nowhere but where they were entered for.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SettingsView } from "../../../src/kernel/api/records/settings.ts";
import { call } from "../../support/http.ts";
import { newTestHome, startProgram, type Program } from "../../support/program.ts";
import { openServer } from "../../support/pair.ts";

import { until } from "../../support/until.ts";

type Server = Parameters<typeof call>[0];
const view = async (server: Server) =>
  (await call(server, "GET", "/api/settings")).body.data as unknown as SettingsView;
const change = (server: Server, body: object) => call(server, "POST", "/api/settings", body);
const setKey = (server: Server, name: string, value: string | null) =>
  call(server, "POST", "/api/settings/keys", { name, value });

function setting({ sections }: SettingsView, section: string, name: string) {
  const found = sections.find((each) => each.section === section)?.settings;
  return found?.find((each) => each.name === name);
}

test("[SE1, H1] settings are read by section with their source, and refused by name where they may not change", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  const { sections, keys, version } = await view(server);
  assert.deepEqual(
    sections.map(({ section, subject }) => subject ?? section),
    ["models", "runs", "tools", "media", "access", "storage", "default"],
  );
  assert.equal(setting(await view(server), "access", "port")?.source, "flag");
  assert.equal(setting(await view(server), "runs", "drain_ms")?.source, "default");
  assert.ok(keys.every(({ present, used }) => !present && !used));

  const refusals: [object, string, RegExp][] = [
    [{ section: "access", changes: { no_auth: true } }, "forbidden", /where the server is started/],
    [{ section: "tools", changes: { sandbox: "off" } }, "forbidden", /where the server is started/],
    [{ section: "storage", changes: { database: null } }, "forbidden", /database/],
    [{ section: "runs", changes: { workspace: "/" } }, "forbidden", /a flag/],
    [{ section: "runs", changes: { max_runs: 0 } }, "invalid_request", /max_runs/],
    [{ section: "runs", changes: { max_runs: 3, resume: "maybe" } }, "invalid_request", /resume/],
    [
      { section: "runs", changes: { model: "a/b" } },
      "invalid_request",
      /no setting “model” in runs/,
    ],
    [{ section: "x", changes: { y: 1 } }, "invalid_request", /no section/],
    [{ section: "__proto__", changes: { y: 1 } }, "invalid_request", /no section/],
    [{ section: "runs", changes: {} }, "invalid_request", /nothing to change/],
    [{ section: "runs", changes: { max_runs: 9 }, version: "old" }, "conflict", /meanwhile/],
    [{ section: "profile", subject: "../x", changes: { model: "a/b" } }, "invalid_request", /./],
    [{ section: "profile", subject: "default", changes: { modle: 1 } }, "invalid_request", /modle/],
    [
      { section: "profile", subject: "default", changes: { prompt: 7 } },
      "invalid_request",
      /prompt/,
    ],
  ];
  for (const [body, code, message] of refusals) {
    const { body: answer } = await change(server, body);
    assert.equal(answer.error.code, code, JSON.stringify(body));
    assert.match(answer.error.message, message);
  }
  assert.equal((await view(server)).version, version, "nothing changed");
  const audit = await call(server, "GET", "/api/audit?types=settings");
  assert.deepEqual((audit.body.data as unknown as { entries: unknown[] }).entries, []);
});

test("[SE3b] secrets of foreign tools go to no other server, and keys of the environment to none", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  const about = { section: "profile", subject: "default" };
  const web = { transport: "http", url: "https://a.example/mcp", headers: { key: "hush-value" } };
  const files = { transport: "stdio", command: "files", args: ["x"], env: { TOKEN: "hush-hush" } };
  const mcp = { web, files };
  assert.equal((await change(server, { ...about, changes: { mcp } })).status, 200);
  const file = join(place.home, "profiles/default/profile.json");
  const before = readFileSync(file, "utf8");
  const [header, env] = [{ headers: { key: "***" } }, { env: { TOKEN: "***" } }];
  for (const moved of [
    { web: { ...web, ...header, url: "https://b.example/mcp" } },
    { web: { ...web, ...header, url: "http://a.example/mcp" } },
    { web: { transport: "stdio", command: "sh", env: { key: "***" } } },
    { other: { ...web, ...header } },
    { files: { ...files, ...env, command: "sh" } },
    { files: { ...files, ...env, args: ["-c", "echo $TOKEN"] } },
    { new: { ...web, headers: { key: "Bearer ${OPENAI_API_KEY}" } } },
    { web: { ...web, headers: { key: "${QUARTERDECK_DATABASE}" } } },
    { files: { ...files, env: { TOKEN: "${QUARTERDECK_API_KEY}" } } },
  ]) {
    const { body } = await change(server, { ...about, changes: { mcp: moved } });
    assert.equal(body.error?.code, "invalid_request", JSON.stringify(moved));
    assert.match(body.error?.message, /enter it again|in the file only/);
  }
  assert.equal(readFileSync(file, "utf8"), before);
  const path = { web: { ...web, ...header, url: "https://a.example/v2" }, files };
  assert.equal((await change(server, { ...about, changes: { mcp: path } })).status, 200);
  assert.match(readFileSync(file, "utf8"), /v2[^]*hush-value/, "the same origin");
});

test("[SE1, SE2, U3] a change is written, noted and told; secrets of foreign tools stay where they are", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  const { version } = await view(server);
  const changed = await change(server, { section: "runs", changes: { max_runs: 7 }, version });
  assert.equal(changed.status, 200);
  assert.equal(setting(await view(server), "runs", "max_runs")?.value, 7);
  assert.equal(setting(await view(server), "runs", "max_runs")?.source, "file");
  await change(server, { section: "runs", changes: { max_runs: null } });
  assert.equal(setting(await view(server), "runs", "max_runs")?.source, "default");

  const env = { TOKEN: "hush-hush-value", NAME: "${NAME}" };
  const files = { transport: "stdio", command: "files", env };
  const about = { section: "profile", subject: "default" };
  await change(server, { ...about, changes: { mcp: { files }, prompt: "You are a cook." } });
  const shown = setting(await view(server), "profile", "mcp")?.value as { files: typeof files };
  assert.deepEqual(shown.files.env, { TOKEN: "***", NAME: "${NAME}" });
  const networked = { files: { ...shown.files, network: true } };
  await change(server, { ...about, changes: { mcp: networked } });
  const kept = readFileSync(join(place.home, "profiles/default/profile.json"), "utf8");
  assert.match(kept, /"network": true/);
  assert.match(kept, /hush-hush-value/, "what was shown masked is what it was");
  assert.equal(setting(await view(server), "profile", "prompt")?.value, "You are a cook.");

  const { body } = await call(server, "GET", "/api/audit?types=settings");
  const { entries } = body.data as unknown as { entries: { payload: object }[] };
  assert.deepEqual(entries.at(-1)?.payload, {
    by: "person",
    section: "runs",
    subject: null,
    changed: ["max_runs"],
  });
  assert.ok(!JSON.stringify(entries).includes("hush"));

  const gui = await call(server, "GET", "/api/gui/settings");
  const { settings } = gui.body as unknown as { settings: Record<string, Record<string, unknown>> };
  assert.deepEqual(settings["keys"]?.["openai"], { present: false });
  assert.equal(settings["display"]?.["show_reasoning"], true);
  const patched = await call(server, "PATCH", "/api/gui/settings", { runs: { max_runs: 5 } });
  assert.equal(patched.status, 200);
  assert.equal(setting(await view(server), "runs", "max_runs")?.value, 5);
  for (const wrong of [{}, { runs: 7 }, { access: { no_auth: true } }, { x: { y: 1 } }]) {
    const refused = await call(server, "PATCH", "/api/gui/settings", wrong);
    assert.ok(refused.status === 400 || refused.status === 403, JSON.stringify(wrong));
  }
});

test("[SE3a] a key is told to nobody, and sent only to the address it was entered for", async () => {
  using place = newTestHome();
  const [model, other] = [
    { baseUrl: "http://127.0.0.1:9/v1" },
    { baseUrl: "http://127.0.0.1:10/v1" },
  ];
  await using server = await openServer(place);
  assert.equal((await setKey(server, "model", "sk-bound-to-one")).body.error.code, "conflict");
  await change(server, { section: "models", changes: { base_url: model.baseUrl } });
  assert.equal((await setKey(server, "model", "sk-bound-to-one")).status, 200);
  assert.equal((await setKey(server, "nobody", "x")).body.error.code, "invalid_request");
  const keyOf = async () => (await view(server)).keys.find(({ name }) => name === "model");
  assert.deepEqual((await keyOf())?.origin, new URL(model.baseUrl).origin);
  assert.equal((await keyOf())?.used, true);
  const text = JSON.stringify([
    await view(server),
    (await call(server, "GET", "/api/gui/settings")).body,
  ]);
  assert.ok(!text.includes("sk-bound"));
  assert.equal(statSync(join(place.home, "secrets.json")).mode & 0o777, 0o600);

  await change(server, { section: "models", changes: { base_url: other.baseUrl } });
  assert.equal((await keyOf())?.used, false);
  const { readConfig } = await import("../../../src/config.ts");
  const started = (home: string) => readConfig(["--home", home], {}).config;
  assert.equal(started(place.home).keys.model, undefined, "another address gets nothing");
  await change(server, { section: "models", changes: { base_url: model.baseUrl } });
  assert.equal(started(place.home).keys.model, "sk-bound-to-one");
  assert.ok(started(place.home).secrets.some(({ value }) => value === "sk-bound-to-one"));
  await setKey(server, "model", null);
  assert.equal((await keyOf())?.present, false);
  assert.equal(started(place.home).keys.model, undefined);
});

test("[SE3b] a key of the environment stays with the address it came with", async () => {
  using place = newTestHome();
  await using server = await openServer(place, { env: { OPENAI_API_KEY: "sk-env" } });
  const moved = await change(server, {
    section: "models",
    changes: { base_urls: { openai: "http://127.0.0.1:1/v1" } },
  });
  assert.equal(moved.body.error.code, "forbidden");
  assert.equal((await setKey(server, "openai", "x")).body.error.code, "conflict");
});

test("[SE2b] a change is applied by a restart that the run survives; a broken file by hand changes nothing", async () => {
  using place = newTestHome();
  await using program: Program = await startProgram(place);
  const started = await call(program, "POST", "/api/runs", { message: "count 60" });
  const runId = String(started.body.data["run_id"]);
  const before = (await program.status()).serve?.pid;
  await change(program, { section: "runs", changes: { max_runs: 3 } });
  await until(async () => {
    const { serve } = await program.status();
    return serve !== null && serve.pid !== before;
  }, "a new server");
  const ended = await until(async () => {
    const run = await call(program, "GET", `/api/runs/${runId}`).catch(() => undefined);
    return run?.body.data?.["status"] === "completed" ? run : undefined;
  }, "the run to end");
  assert.equal(ended.status, 200);
  writeFileSync(join(place.home, "config.json"), "{ broken");
  await until(() => program.output().includes("cannot be used"), "the complaint");
  const again = program.output().match(/starting anew with them/g);
  assert.equal(again?.length, 1, "nobody was restarted into a broken home");
  assert.equal((await call(program, "GET", "/api/status")).status, 200);
});

test("[SE2c, SE1] a file broken by hand is said, shown as what counts, and written over by nobody", async () => {
  using place = newTestHome();
  await using server = await openServer(place);
  await change(server, { section: "runs", changes: { max_runs: 3 } });
  const path = join(place.home, "config.json");
  const looked = async () =>
    (await view(server)).sections.find(({ section }) => section === "runs")?.problem;
  const audited = async () =>
    (await call<{ entries: unknown[] }>(server, "GET", "/api/audit")).body.data.entries.length;
  assert.equal(await looked(), null);
  const before = await audited();
  writeFileSync(path, '{ "max_runs": 4, ');
  assert.match((await looked()) ?? "", /^config\.json cannot be used: .*JSON/);
  const wanted = { section: "runs", changes: { max_runs: 5 } };
  const refused = await call(server, "POST", "/api/settings", wanted);
  assert.deepEqual([refused.status, refused.body.error.code], [409, "conflict"]);
  assert.equal(readFileSync(path, "utf8"), '{ "max_runs": 4, ', "what somebody is writing there");
  assert.equal(await audited(), before, "nothing was changed, and nothing says so");
  writeFileSync(path, '{ "max_runs": "many" }');
  assert.match((await looked()) ?? "", /“max_runs” is wrong/);
  await change(server, wanted); // which puts it right
  assert.equal(await looked(), null);
});
