// Brings a skill from a folder, an archive or a git repository, for somebody who will look at it before installing.
// What opens it is a tool host: no process that holds the journal opens a file or an archive that came from
// elsewhere (D8).
import { mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { SKILL_LIMITS } from "../../../kernel/events/skill-limits.ts";
import {
  CloneRefused,
  gitClone,
  type GitSource,
} from "../../../kernel/workspace/client/git-clone.ts";
import {
  PipeRefused,
  startToolHost,
  type ToolHost,
} from "../../../kernel/workspace/client/tool-host/client.ts";
import type { SandboxChoice } from "../../../kernel/workspace/host/spawn-host.ts";
import { AddressRefused, HostNotFound } from "../../../kernel/run/web/resolve-host.ts";

export type SkillSource = { readonly folder?: string | undefined } & (
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "bytes"; readonly data: Buffer }
  | ({ readonly kind: "git" } & GitSource)
);
export type Packed = {
  readonly files: readonly { path: string; data: Buffer; executable: boolean }[];
  readonly folder: string;
  readonly left_out: number;
};
type Refused = { readonly ok: false; readonly code: string; readonly message: string };
export type FetchedSkill = { readonly ok: true; readonly data: Packed } | Refused;

export type SkillSourcesOptions = {
  readonly home: string;
  readonly sandbox: SandboxChoice;
  readonly allowPrivateHosts: readonly string[];
};

const PATIENCE_MS = 60_000;
const MAX_AT_ONCE = 2;

export function skillSources(options: SkillSourcesOptions) {
  let going = 0;
  return {
    async fetch(source: SkillSource, signal: AbortSignal): Promise<FetchedSkill> {
      if (going >= MAX_AT_ONCE) return refused("busy", "Other skills are being fetched now.");
      going += 1;
      try {
        const patience = AbortSignal.timeout(PATIENCE_MS);
        return await fetchSkill(source, AbortSignal.any([signal, patience]), options);
      } finally {
        going -= 1;
      }
    },
  };
}

async function fetchSkill(
  source: SkillSource,
  signal: AbortSignal,
  options: SkillSourcesOptions,
): Promise<FetchedSkill> {
  const { folder } = source;
  const which = folder === undefined ? {} : { folder };
  if (source.kind === "path") {
    const place = await placeOf(source.path);
    if (!place) return refused("not_found", "There is nothing at that path on the server.");
    await using host = hostIn(place.workspace, options, { role: "reader" });
    return await unpacked(host, { path: place.path, ...which }, signal);
  }
  await using scratch = await scratchFolder();
  if (source.kind === "bytes") {
    await using host = hostIn(scratch.path, options, { role: "reader" });
    return await unpacked(host, { archive: source.data.toString("base64"), ...which }, signal);
  }
  await using host = hostIn(scratch.path, options, { network: true });
  try {
    const into = join(scratch.path, "repository");
    await gitClone(source, { host, into, allowed: options.allowPrivateHosts, signal });
  } catch (error) {
    return refusalOf(error);
  }
  return await unpacked(host, { path: "repository", ...which }, signal);
}

/** A host works in one folder: in that of an archive, or in the folder itself. Only its kind is asked here. */
async function placeOf(path: string): Promise<{ workspace: string; path: string } | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return undefined;
  const real = await realpath(path);
  if (stats.isDirectory()) return { workspace: real, path: "." };
  return { workspace: dirname(real), path: basename(real) };
}

function hostIn(
  workspace: string,
  { home, sandbox }: SkillSourcesOptions,
  how: { role?: "reader"; network?: boolean },
): ToolHost {
  return startToolHost({ workspace, outside: true, protect: [home], sandbox, ...how });
}

async function scratchFolder() {
  const path = await mkdtemp(join(await realpath(tmpdir()), "quarterdeck-skill-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

type Listed = { files: { path: string; bytes: number; executable: boolean }[] };

async function unpacked(host: ToolHost, input: object, signal: AbortSignal): Promise<FetchedSkill> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const answer = await host.call({
    tool: "unpack",
    input,
    marker: "skill",
    notAfter: process.hrtime.bigint() + BigInt(PATIENCE_MS) * 1_000_000n,
    signal,
    onOutput: ({ data }) => {
      bytes += data.length;
      if (bytes > SKILL_LIMITS.bytes) throw new Error("more than a skill may have");
      parts.push(Buffer.from(data));
    },
  });
  if (!answer.ok) return refused(answer.error.code, answer.error.message);
  const all = Buffer.concat(parts);
  const { files, ...rest } = answer.result as Listed & Omit<Packed, "files">;
  let at = 0;
  const whole = files.map(({ path, bytes: length, executable }) => ({
    path,
    executable,
    data: all.subarray(at, (at += length)),
  }));
  return { ok: true, data: { ...rest, files: whole } };
}

function refused(code: string, message: string): Refused {
  return { ok: false, code, message };
}

function refusalOf(error: unknown): Refused {
  if (error instanceof CloneRefused) return refused("invalid_request", error.message);
  if (error instanceof AddressRefused) return refused("protected", error.message);
  if (error instanceof HostNotFound) return refused("not_found", error.message);
  if (error instanceof PipeRefused) return refused("spawn_failed", error.message);
  throw error;
}
