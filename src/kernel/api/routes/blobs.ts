// The endpoint that returns contents by their hash.
import { BY_CONTENT, FileNameQuery, get } from "../endpoint.ts";

export const blobsApi = {
  getBlob: get("/api/blobs/{sha256}", {
    params: BY_CONTENT,
    tag: "blobs",
    summary: "A whole output, or a range of it.",
    response: "blob",
    query: FileNameQuery,
    headers: ["Range"],
    errors: ["blob_not_found", "range_not_satisfiable"],
  }),
};
