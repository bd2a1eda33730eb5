// Settings for many machines: where each comes from, what is refused, and that no password is ever repeated.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { readConfig, UsageError, type Environment } from "./config.ts";

const ROOT = join(import.meta.dirname, "..");

function newHome(settings: object = {}) {
  const path = mkdtempSync(join(tmpdir(), "qd-config-"));
  const workspace = mkdtempSync(join(tmpdir(), "qd-work-")); // not all of it: a checkout may be there
  writeFileSync(join(path, "config.json"), JSON.stringify(settings));
  const read = (args: string[] = [], env: Environment = {}) =>
    readConfig(["--home", path, "--workspace", workspace, ...args], env).config;
  const removed = () => [path, workspace].forEach((each) => rmSync(each, { recursive: true }));
  return { path, workspace, read, [Symbol.dispose]: removed };
}

test("volumes come from flags over environment over the file, each as a whole", () => {
  using home = newHome({ volumes: { kept: "/srv/kept" } });
  const env = { QUARTERDECK_VOLUMES: "one=/srv/one, two=/srv/two/../2" };
  assert.deepEqual(home.read().volumes, { kept: "/srv/kept" });
  assert.deepEqual(home.read([], env).volumes, { one: "/srv/one", two: "/srv/2" });
  const flags = ["--volume", "a=/x", "--volume", "b.2-c_d=/y=z"];
  assert.deepEqual(home.read(flags, env).volumes, { a: "/x", "b.2-c_d": "/y=z" });
  using other = newHome();
  assert.deepEqual(other.read().volumes, {});
});

test("[S] a volume with a bad name, a relative path, two places or a place in the home is refused", () => {
  using home = newHome();
  const bad = ["x", "=/x", "a b=/x", ".a=/x", "../a=/x", "a=", "a=x", "a=./x", `a=${home.path}/x`];
  for (const volume of bad) {
    assert.throws(() => home.read(["--volume", volume]), UsageError, volume);
    assert.throws(() => home.read([], { QUARTERDECK_VOLUMES: volume }), UsageError, volume);
  }
  const twice = { QUARTERDECK_VOLUMES: "a=/x,a=/y" };
  assert.throws(() => home.read([], twice), /The volume a is named twice/);
});

test("[S] the password of the database is a secret in every form, and so is its address", () => {
  using home = newHome();
  const url = "postgres://me:p%C3%A4ss-word@127.0.0.1:5432/x";
  const values = (config: ReturnType<typeof home.read>) => config.secrets.map(({ value }) => value);
  assert.deepEqual(values(home.read(["--database", url])), ["päss-word", "p%C3%A4ss-word", url]);
  assert.deepEqual(values(home.read([], { QUARTERDECK_DATABASE_URL: url })).length, 3);
  const inside = "postgres://127.0.0.1/x?user=me&password=hidden-one";
  assert.deepEqual(values(home.read(["--database", inside])), ["hidden-one", inside]);
  assert.deepEqual(home.read().secrets, []);
});

test("[S] an address that cannot be used is refused without being repeated", () => {
  using home = newHome();
  const bad = [
    "mysql://me:hidden-one@h/x",
    "postgres:/me:hidden-one",
    "postgres://me:hidden-one#2@h/x",
    "postgres://me:hidden-one@h:port/x",
    "postgres://me:hidden-one@h/x?options=-csearch_path%3Dpublic",
  ];
  for (const url of bad) {
    assert.throws(
      () => home.read(["--database", url]),
      (error) => error instanceof UsageError && !error.message.includes("hidden"),
      url,
    );
  }
  for (const url of ["postgres:///x?host=/run/postgresql", "postgresql://[::1]:5433/x"]) {
    assert.equal(home.read(["--database", url]).database, url);
  }
});

test("blobs and certificates are refused where they make no sense", () => {
  using home = newHome();
  assert.throws(() => home.read(["--blobs", "s3://bucket"]), /works with --database only/);
  const database = ["--database", "postgres://127.0.0.1/x"];
  const env = { QUARTERDECK_BLOBS: "s3://bucket" };
  assert.equal(home.read(database, env).blobs, "s3://bucket");
  assert.throws(() => home.read(["--tls-key", "x"]), /belong together/);
});

test("[SE3] keys that cannot be read are a sentence, not a crash", () => {
  const home = mkdtempSync(join(tmpdir(), "qd-config-"));
  writeFileSync(join(home, "secrets.json"), "{ broken");
  assert.throws(() => readConfig(["--home", home], {}), {
    name: "UsageError",
    message: /secrets\.json.*mend or remove it/,
  });
  rmSync(home, { recursive: true });
});

test("[SB2] a workspace that contains the program or lies in it is refused with what to do instead", () => {
  using home = newHome();
  const link = join(home.path, "link");
  symlinkSync(ROOT, link);
  for (const wrong of [
    ROOT,
    dirname(ROOT),
    "/",
    join(ROOT, "src"),
    link,
    join(ROOT, "not/there"),
  ]) {
    assert.throws(() => home.read(["--workspace", wrong]), /Choose another folder, for example /);
    const channels = [{ id: "c", workspace: wrong }];
    using file = newHome({ channels });
    assert.throws(() => file.read(), /Choose another folder/, wrong);
  }
  const inside = join(home.path, "work");
  assert.throws(() => home.read(["--workspace", inside]), /must not be inside the home/);
});

test("[SB2a] the default workspace is where it was started, or a folder of its own", () => {
  using home = newHome();
  const started = (INIT_CWD: string) => readConfig(["--home", home.path], { INIT_CWD }).config;
  const own = join(homedir(), "quarterdeck-workspace");
  assert.equal(started(home.workspace).workspace, home.workspace);
  for (const wrong of [ROOT, join(ROOT, "src"), dirname(ROOT), "/", homedir(), home.path]) {
    assert.equal(started(wrong).workspace, own, wrong);
  }
  for (const wrong of ["/root", "/home/somebody", "/Users/somebody"]) {
    assert.equal(started(wrong).workspace, own, wrong);
  }
  assert.equal(started("/home/somebody/code").workspace, "/home/somebody/code");
});
