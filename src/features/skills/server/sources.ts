// Who fetches skills from elsewhere for the server: another process, because this one holds the journal (D8).
import type { PackedFile } from "../home/skill-package.ts";
import type { Read } from "../../../kernel/server/workspace/workspace-reads.ts";

export type FetchedSource = { readonly folder?: string | undefined } & (
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "bytes"; readonly data: Buffer }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string | undefined }
);
export type Fetched = {
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
