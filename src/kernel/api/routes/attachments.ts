// The route by which files come in.
import { post, type ApiRoute } from "../api-route.ts";

export const ATTACHMENT_ROUTES: readonly ApiRoute[] = [
  post("/api/attachments", {
    id: "uploadAttachment",
    tag: "blobs",
    summary: "Keep a file that a message will name. The body is the file itself.",
    upload: true,
    headers: ["X-File-Name"],
    answer: { data: "UploadedFile" },
    errors: ["invalid_request", "too_large", "unsupported_media_type", "storage_full"],
  }),
];
