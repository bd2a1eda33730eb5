// Maps an exception to an error of the closed table. Nothing internal leaks into the response.
import type { FastifyError } from "fastify";
import { StorageFullError } from "../journal/sqlite/database.ts";
import { storageFault } from "../journal/sqlite/storage-faults.ts";
import { ApiError, ERRORS, toEnvelope, type ErrorCode } from "../events/errors.ts";

const BY_STATUS: Record<number, ErrorCode> = {
  404: "not_found",
  405: "method_not_allowed",
  413: "too_large",
  415: "unsupported_media_type",
};

/** What everybody forgets with curl. True of uploads too, which refuse JSON by the same error. */
const WRONG_TYPE =
  "This request does not take a body of that content-type. Commands need the header content-type: application/json; " +
  "uploads take the file itself (application/octet-stream) or a form (multipart/form-data), never JSON.";

export function toErrorResponse(error: FastifyError) {
  const envelope = toEnvelope(toApiError(error));
  const { code } = envelope.error;
  return { code, status: ERRORS[code].status, envelope };
}

function toApiError(error: FastifyError): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof StorageFullError) {
    return new ApiError("storage_full", "The disk is full: nothing was changed. Free some space.");
  }
  if (storageFault(error) !== undefined) {
    return new ApiError("unavailable", "The storage failed. Try again.");
  }
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new ApiError("unsupported_media_type", WRONG_TYPE);
  }
  const status = error.statusCode ?? 500;
  if (status >= 500) return error;
  return new ApiError(BY_STATUS[status] ?? "invalid_request", error.message.slice(0, 300));
}
