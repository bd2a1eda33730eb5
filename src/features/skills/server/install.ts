// Installing a skill in two steps: what is in it is shown with its hash, and only what has that hash is installed.
// Between the two the source is fetched again: one that changed is refused.
import { buffer } from "node:stream/consumers";
import { inspectSkill, type Inspection, type PackedFile } from "../home/package.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { InstallSkill, SkillDetail, SkillInspection, SkillSource } from "../records.ts";
import { ApiError, type ErrorCode } from "../../../kernel/events/errors.ts";
import { own } from "../../../kernel/events/own.ts";
import { SKILL_LIMITS } from "../../../kernel/events/skill-limits.ts";
import { refusing, type HomeAccess } from "../../../kernel/server/home-access.ts";
import type { SkillsAccess, SkillsAsked } from "./access.ts";
import type { Read } from "../../../kernel/server/workspace/workspace-reads.ts";

type Deps = { readonly journal: Journal; readonly homeFiles?: HomeAccess | undefined };
type Looked = { readonly inspection: Inspection; readonly fetched: Fetched };

const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  not_found: "not_found",
  protected: "forbidden",
  outside_workspace: "forbidden",
  io: "forbidden",
  invalid_request: "invalid_request",
  is_directory: "invalid_request",
  not_regular: "invalid_request",
  ambiguous: "invalid_request",
  too_large: "too_large",
  busy: "rate_limited",
};

export function skillInstall(deps: Deps, skills: SkillsAccess) {
  const look = (source: SkillSource, signal: AbortSignal): Promise<Looked> =>
    refusing(async () => {
      const fetched = await fetchSource(deps, source, signal);
      return { fetched, inspection: inspectSkill(fetched.files) };
    });
  return {
    async inspect(
      asked: SkillsAsked,
      source: SkillSource,
      signal: AbortSignal,
    ): Promise<SkillInspection> {
      const { skills: known } = await skills.list(asked);
      const { inspection, fetched } = await look(source, signal);
      const { text, files, warnings, ...rest } = inspection;
      const hidden = `${fetched.left_out} hidden files were left out.`;
      return {
        source: nameOf(source),
        folder: fetched.folder,
        ...rest,
        files: [...files],
        warnings: fetched.left_out > 0 ? [...warnings, hidden] : [...warnings],
        content: text,
        installed: known.find(({ name }) => name === rest.name) ?? null,
      };
    },
    async install(
      asked: SkillsAsked,
      { source, hash, name: wanted, replaces }: InstallSkill,
      signal: AbortSignal,
    ): Promise<SkillDetail> {
      await skills.list(asked); // a profile that is not there is said before anything is fetched
      const { inspection, fetched } = await look(source, signal);
      if (inspection.hash !== hash) {
        const message = "The source changed since it was inspected: look at it again.";
        throw new ApiError("conflict", message, { reason: "changed", hash: inspection.hash });
      }
      const name = wanted ?? inspection.name;
      if (name === null) throw new ApiError("invalid_request", "name: give the skill a name");
      const options = { source: nameOf(source), replaces };
      return skills.change(asked, name, ({ store }) => store.install(name, fetched.files, options));
    },
  };
}

async function fetchSource(
  { homeFiles, journal }: Deps,
  source: SkillSource,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!homeFiles?.sources) throw new ApiError("unavailable", "This server cannot fetch skills.");
  const wanted: FetchedSource =
    source.kind === "upload"
      ? { kind: "bytes", data: await uploaded(journal, source.sha256), folder: source.folder }
      : source;
  if (wanted.kind === "path" && !wanted.path.startsWith("/")) {
    throw new ApiError("invalid_request", "source.path: give the whole path on the server");
  }
  const read = await homeFiles.sources.fetch(wanted, signal);
  if (read.ok) return read.data;
  const code = own(REFUSALS, read.code) ?? "unavailable";
  throw new ApiError(code, read.message.slice(0, 500), { reason: read.code });
}

async function uploaded({ blobs }: Journal, sha256: string): Promise<Buffer> {
  const size = await blobs.size(sha256);
  if (size === undefined) throw new ApiError("blob_not_found", "That archive was not uploaded.");
  if (size > SKILL_LIMITS.archiveBytes) {
    throw new ApiError("too_large", `An archive may have ${SKILL_LIMITS.archiveBytes} bytes.`);
  }
  return buffer(blobs.read(sha256));
}

function nameOf(source: SkillSource): string {
  const folder = source.folder === undefined ? "" : `#${source.folder}`;
  if (source.kind === "path") return `${source.path}${folder}`;
  if (source.kind === "upload") return `upload ${source.sha256}${folder}`;
  return `${source.url}${source.ref === undefined ? "" : `@${source.ref}`}${folder}`;
}

// Who fetches skills from elsewhere for the server: another process, because this one holds the journal (D8).
type FetchedSource = { readonly folder?: string | undefined } & (
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "bytes"; readonly data: Buffer }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string | undefined }
);
type Fetched = {
  readonly files: readonly PackedFile[];
  readonly folder: string;
  readonly left_out: number;
};
export type SkillSources = {
  fetch(source: FetchedSource, signal: AbortSignal): Promise<Read<Fetched>>;
};

declare module "../../../kernel/server/home-access.ts" {
  interface HomeAccess {
    readonly sources?: SkillSources;
  }
}
