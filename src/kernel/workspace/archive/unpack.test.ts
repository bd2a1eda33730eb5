// Skills from folders and archives: what is taken, and everything that is not.
import assert from "node:assert/strict";
import { chmod, link, mkdir, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  paxRecord,
  tar,
  tarGz,
  zip,
  type TarEntry,
  type ZipEntry,
} from "../../../../test/support/archives.ts";
import { SKILL_LIMITS } from "../../events/skill-limits.ts";
import { temporaryDirectory, testCall } from "../host/test-support.ts";
import type { ToolErrorCode } from "../host/tool-error.ts";
import { unpack } from "./unpack.ts";

const MAIN = "---\nname: demo\ndescription: d\n---\n\n# Do\n";
type File = { path: string; bytes: number; executable: boolean };
type Unpacked = { folder: string; files: File[]; left_out: number };

async function unpacked(input: object, directory = "/tmp") {
  const call = testCall(directory);
  const result = (await unpack(input, call)) as unknown as Unpacked;
  return { ...result, printed: call.printed.stdout };
}
const archive = (bytes: Buffer, more: object = {}) =>
  unpacked({ archive: bytes.toString("base64"), ...more });

async function refused(bytes: Buffer, code: ToolErrorCode, about: RegExp): Promise<void> {
  await assert.rejects(archive(bytes), (error: Error & { code?: string }) => {
    assert.deepEqual([error.code, about.test(error.message)], [code, true], error.message);
    return true;
  });
}

const asTar: TarEntry[] = [
  { name: "demo/", type: "5" },
  { name: "demo/SKILL.md", data: MAIN },
  { name: "demo/scripts/run.sh", data: "#!/bin/sh\n", mode: 0o755 },
  { name: "demo/.git/config", data: "x" },
];
const asZip: ZipEntry[] = [
  { name: "demo/", mode: 0o040755, method: 0 },
  { name: "demo/SKILL.md", data: MAIN },
  { name: "demo/scripts/run.sh", data: "#!/bin/sh\n", mode: 0o100755 },
  { name: "demo/.git/config", data: "x", method: 0 },
];

test("[M4] the same skill comes out of a folder, a tar, a tar.gz and a zip", async () => {
  await using base = await temporaryDirectory();
  await mkdir(base.at("demo/scripts"), { recursive: true });
  await mkdir(base.at("demo/.git"));
  await writeFile(base.at("demo/SKILL.md"), MAIN);
  await writeFile(base.at("demo/scripts/run.sh"), "#!/bin/sh\n");
  await chmod(base.at("demo/scripts/run.sh"), 0o755);
  await writeFile(base.at("demo/.git/config"), "x");
  await writeFile(base.at("demo.zip"), zip(asZip));
  const files = [
    { path: "SKILL.md", bytes: MAIN.length, executable: false },
    { path: "scripts/run.sh", bytes: 10, executable: true },
  ];
  for (const made of [
    unpacked({ path: "demo" }, base.path),
    unpacked({ path: "demo.zip" }, base.path),
    unpacked({ path: "." }, base.path), // the only one in it
    archive(tar(asTar)),
    archive(tarGz(asTar)),
    archive(zip(asZip)),
  ]) {
    const { printed, ...result } = await made;
    assert.deepEqual(result.files, files);
    assert.equal(printed, `${MAIN}#!/bin/sh\n`);
  }
});

test("[M4] of several skills one is chosen; long names come as pax and GNU write them", async () => {
  const two = zip([
    { name: "a/SKILL.md", data: MAIN },
    { name: "b/c/SKILL.md", data: `${MAIN}more` },
    { name: "b/linked", data: "/etc/passwd", mode: 0o120777 },
  ]);
  await refused(two, "ambiguous", /2 skills.*a, b\/c/);
  assert.equal((await archive(two, { folder: "b/c/" })).printed, `${MAIN}more`);
  await assert.rejects(archive(two, { folder: "b" }), /link/);
  await assert.rejects(archive(two, { folder: "d" }), /no SKILL\.md/);

  const long = `references/${"x".repeat(120)}.md`;
  const gnu = tar([
    { name: "SKILL.md", data: MAIN },
    { name: "././@LongLink", type: "L", data: `${long}\0` },
    { name: long.slice(0, 99), data: "gnu" },
  ]);
  const pax = tar([
    { name: "pax_global_header", type: "g", data: paxRecord("comment", "x".repeat(40)) },
    { name: "SKILL.md", data: MAIN },
    { name: "PaxHeader", type: "x", data: paxRecord("path", long) },
    { name: "short", data: "pax" },
  ]);
  for (const bytes of [gnu, pax]) assert.equal((await archive(bytes)).files[1]?.path, long);
});

test("[M4c, S] names that lead elsewhere, links and devices refuse the whole archive", async () => {
  const names = ["../x", "a/../../x", "/etc/x", "C:\\x", "a\\..\\x", "a\u202eb", "a\nb"];
  for (const name of names) {
    const entry = { name, data: "x" };
    await refused(tar([{ name: "SKILL.md", data: MAIN }, entry]), "invalid_request", /path|name/);
    await refused(zip([{ name: "SKILL.md", data: MAIN }, entry]), "invalid_request", /path|name/);
  }
  for (const type of ["1", "2", "3", "6"]) {
    const entry = { name: "x", type, link: "/etc/passwd" };
    await refused(
      tar([{ name: "SKILL.md", data: MAIN }, entry]),
      "invalid_request",
      /link|no file/,
    );
  }
  const linked = { name: "x", data: "/etc/passwd", mode: 0o120777 };
  await refused(zip([{ name: "SKILL.md", data: MAIN }, linked]), "invalid_request", /link/);
  const deep = { name: "a/b/c/d/e/f/g/h/i.md", data: "x" };
  await refused(tar([{ name: "SKILL.md", data: MAIN }, deep]), "invalid_request", /deep/);
  const long = { name: "x", type: "x", data: paxRecord("path", "y".repeat(300)) };
  await refused(
    tar([{ name: "SKILL.md", data: MAIN }, long, { name: "z" }]),
    "invalid_request",
    /long/,
  );
});

test("[M4c, S] archives that grow, lie or are cut short are refused", async () => {
  const main = { name: "SKILL.md", data: MAIN };
  const bomb = Buffer.alloc(SKILL_LIMITS.unpackedBytes + 1_000);
  await refused(gzipSync(bomb), "too_large", /unpacks to more/);
  await refused(zip([main, { name: "x", data: bomb }]), "too_large", /unpacks to more/);
  const grows = { name: "x", data: Buffer.alloc(100_000), size: 10 };
  await refused(zip([main, grows]), "invalid_request", /larger than the archive says/);
  await refused(zip([main, { name: "x", data: "abc", size: 9 }]), "invalid_request", /not what/);
  await refused(zip([main, { name: "x", data: "abc", crc: 7 }]), "invalid_request", /not what/);
  await refused(zip([main, { name: "x", flags: 1 }]), "invalid_request", /Encrypted/);
  await refused(zip([main, { name: "x", method: 12 }]), "invalid_request", /not taken/);
  await refused(zip([main, { name: "x", localName: "y" }]), "invalid_request", /do not agree/);
  await refused(zip([main, { ...main, offset: 0 }]), "invalid_request", /overlap/);
  await refused(zip([main, { name: "x", size: 0xffffffff }]), "too_large", /unpacks to more/);
  await refused(
    zip([main], (end) => end.writeUInt32LE(0xffffffff, 16)),
    "invalid_request",
    /Zip64/,
  );
  await refused(
    zip([main], (end) => end.writeUInt16LE(1, 4)),
    "invalid_request",
    /several parts/,
  );
  await refused(
    zip([main], (end) => end.writeUInt32LE(3, 16)),
    "invalid_request",
    /not where/,
  );
  await refused(zip([main]).subarray(0, -5), "invalid_request", /not a zip/);
  await refused(tar([main], { end: false }), "invalid_request", /no end/);
  await refused(tar([main, { name: "x", size: 99_999 }]), "invalid_request", /cut short/);
  await refused(tarGz([main]).subarray(0, 40), "invalid_request", /damaged/);
  const sparse = { name: "x", type: "x", data: paxRecord("size", "12345") };
  await refused(tar([main, sparse, { name: "y" }]), "invalid_request", /sparse/);
  await refused(
    Buffer.from("hello, this is no archive".repeat(40)),
    "invalid_request",
    /not a tar/,
  );
  const many = Array.from({ length: SKILL_LIMITS.archiveEntries + 1 }, (_, at) => ({
    name: `f${at}`,
  }));
  await refused(tar([main, ...many]), "too_large", /entries/);
  await refused(zip([main, ...many]), "too_large", /entries/);
  await refused(tar([main, ...many.slice(0, SKILL_LIMITS.files)]), "too_large", /files/);
  const big = { name: "big", data: Buffer.alloc(SKILL_LIMITS.fileBytes + 1) };
  await refused(zip([main, big]), "too_large", /too large/);
  const pieces = Array.from({ length: 5 }, (_, at) => ({
    name: `p${at}`,
    data: Buffer.alloc(1_000_000),
  }));
  await refused(tarGz([main, ...pieces]), "too_large", /bytes/);
});

test("[M4, S] a folder with links in it is refused, and nobody is led out of it", async () => {
  await using base = await temporaryDirectory();
  await mkdir(base.at("skill"));
  await writeFile(base.at("skill/SKILL.md"), MAIN);
  await writeFile(base.at("secret"), "secret");
  await symlink(base.at("secret"), base.at("skill/linked.md"));
  await assert.rejects(unpacked({ path: "skill" }, base.path), /link/);
  await assert.rejects(unpacked({ path: "../skill" }, base.at("skill")), /outside|workspace/i);
  await assert.rejects(unpacked({ path: "nothing" }, base.path), /nothing at/);
  await writeFile(base.at("huge.zip"), Buffer.alloc(SKILL_LIMITS.archiveBytes + 1));
  await assert.rejects(unpacked({ path: "huge.zip" }, base.path), /may have/);
  await link(base.at("secret"), base.at("other"));
  await assert.rejects(unpacked({}, base.path), /path/);
});
