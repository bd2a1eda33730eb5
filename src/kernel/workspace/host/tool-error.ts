// Why a tool call was refused or failed. The code is the contract with the runner;
// a code other than "io" or "aborted" promises that no file was changed and no command ran.

export const TOOL_ERROR_CODES = [
  "not_found",
  "outside_workspace",
  "is_directory",
  "not_regular",
  "too_large",
  "aborted",
  "claim_expired",
  "spawn_failed",
  "invalid_request",
  "protected",
  "not_text",
  "text_not_found",
  "ambiguous",
  "conflict",
  "plan_changed",
  "io",
] as const;
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

export class ToolError extends Error {
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string) {
    super(message);
    this.name = "ToolError";
    this.code = code;
  }
}

const FROM_ERRNO: Readonly<Record<string, ToolErrorCode>> = {
  ENOENT: "not_found",
  ENOTDIR: "not_found",
  EISDIR: "is_directory",
  ENXIO: "not_regular", // opening a socket, or a FIFO nobody reads
  ENAMETOOLONG: "invalid_request",
  EFBIG: "too_large",
};

export function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const errno = errnoOf(error);
  const message = error instanceof Error ? error.message : String(error);
  // Files are opened through the handle of their directory; that address means nothing to a reader.
  const readable = message.replaceAll(/\/proc\/self\/fd\/\d+\//g, "");
  return new ToolError((errno && FROM_ERRNO[errno]) || "io", readable);
}

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
