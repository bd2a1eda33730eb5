// The upload endpoint.
import { UploadedFile } from "../records/attachments.ts";
import { post } from "../endpoint.ts";

export const attachmentsApi = {
  uploadAttachment: post("/api/attachments", {
    tag: "blobs",
    summary: "Keep a file that a message will name. The body is the file itself.",
    raw: "file",
    headers: ["X-File-Name"],
    response: UploadedFile,
    errors: ["invalid_request", "too_large", "unsupported_media_type", "storage_full"],
  }),
};
