// What the server needs to read user files. It holds the journal, so it opens none itself (D8): the command that
// starts it passes an implementation in another process.
import type {
  FilesView,
  FileText,
  FileView,
  FindView,
  GitView,
} from "../../api/records/records.ts";
import { ApiError, type ErrorCode } from "../../events/errors.ts";
import { own } from "../../events/own.ts";
import { localPath, workspacePlace, type Volumes } from "../../events/workspace-place.ts";

export type Read<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** In which workspace, and until when somebody waits for it. Paths are relative to the workspace. */
type Asked<Options> = Options & { readonly workspace: string; readonly signal: AbortSignal };

export type WorkspaceReads = {
  list(asked: Asked<{ path: string; depth: number; hidden: boolean }>): Promise<Read<FilesView>>;
  read(asked: Asked<{ path: string; first_line: number; lines: number }>): Promise<Read<FileView>>;
  find(
    asked: Asked<{
      q: string;
      glob?: string | undefined;
      regex: boolean;
      in?: "names" | "contents" | undefined;
      path?: string | undefined;
      hidden?: boolean | undefined;
      max?: number | undefined;
    }>,
  ): Promise<Read<FindView>>;
  text(asked: Asked<{ path: string }>): Promise<Read<FileText>>;
  git(asked: Asked<GitQuery>): Promise<Read<GitView>>;
};
export type GitQuery =
  | { readonly action: "status" | "worktrees" }
  | {
      readonly action: "diff";
      readonly of: "worktree" | "index" | "commit";
      readonly commit?: string | undefined;
      readonly path?: string | undefined;
    }
  | {
      readonly action: "log";
      readonly limit: number;
      readonly offset: number;
      readonly path?: string | undefined;
    };

export const NO_READS: WorkspaceReads = {
  list: async () => NOBODY,
  read: async () => NOBODY,
  find: async () => NOBODY,
  text: async () => NOBODY,
  git: async () => NOBODY,
};
const NOBODY = {
  ok: false,
  code: "spawn_failed",
  message: "Files cannot be read through this server.",
} as const;

/** Runs may be on volumes that only other machines have: their files are not to be seen from here. */
export function onThisMachine(workspace: string, volumes: Volumes): string {
  const path = localPath(workspace, volumes);
  if (path !== undefined) return path;
  const { volume } = workspacePlace(workspace);
  const message = `This server does not reach the volume ${volume}.`;
  throw new ApiError("volume_unreachable", message, { volume });
}

// What is not here (host_died, spawn_failed, claim_expired, aborted) is about the reader, not the file.
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  not_found: "not_found",
  outside_workspace: "forbidden",
  protected: "forbidden",
  io: "forbidden", // not readable for us; links that lead in circles
  is_directory: "invalid_request",
  not_regular: "invalid_request",
  not_text: "invalid_request",
  invalid_request: "invalid_request",
  too_large: "too_large",
  busy: "rate_limited",
};

/** Throws where it was refused. `reason` in the details is exact; the code is one of the closed table. */
export function dataOf<Data>(read: Read<Data>): Data {
  if (read.ok) return read.data;
  const code = own(REFUSALS, read.code) ?? "unavailable";
  const message =
    code === "unavailable" ? `Files cannot be read now. ${read.message}` : read.message;
  throw new ApiError(code, message, { reason: read.code });
}
