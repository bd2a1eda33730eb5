// What a shared file of a session leaves out. This file has no schemas, so that the page can import it.

export const SHARE_POLICIES = ["share", "full"] as const;
export type SharePolicy = (typeof SHARE_POLICIES)[number];

export const SHARE_PARTS = ["tool-output", "files", "thinking", "paths", "environment"] as const;
export type SharePart = (typeof SHARE_PARTS)[number];

export const SHARE_FORMATS = ["html", "json"] as const;
export type ShareFormat = (typeof SHARE_FORMATS)[number];

/** What each policy leaves out by itself; more can be named. Known secrets are left out by every one of them, what looks like a key by `share`. */
export const LEFT_OUT_BY: Record<SharePolicy, readonly SharePart[]> = {
  share: ["paths", "environment"],
  full: [],
};

export const PART_LABELS: Record<SharePart, string> = {
  "tool-output": "what tools answered and printed",
  files: "contents of files and attachments",
  thinking: "the model's thinking",
  paths: "names of home folders (shown as ~)",
  environment: "workspace paths, runner names, metadata, providers' opaque data",
};

/** Contents kept beside the events (changed files, attachments, long outputs), in bytes. */
export const CONTENT_BOUNDS: Record<SharePolicy, { readonly each: number; readonly all: number }> =
  {
    share: { each: 256 << 10, all: 8 << 20 },
    full: { each: 8 << 20, all: 32 << 20 },
  };

export const RECORDING_VERSION = 1;
/** Of the unpacked content of a file. */
export const MAX_RECORDING_BYTES = 64 << 20;
export const MAX_RECORDING_CONTENTS = 10_000;
/** Of the file itself: a page is packed and spelled in base64, and has a program in it. */
export const MAX_IMPORT_BYTES = 72 << 20;

/** The source of a session that is a recording from elsewhere. Nothing can be run in it. */
export const IMPORTED = "import";
