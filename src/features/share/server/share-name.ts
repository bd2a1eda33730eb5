// What a file is called: from the title, in characters that every disk and every header takes.
import type { RecordingManifest } from "../../../kernel/events/recording-file.ts";
import type { ShareFormat } from "../../../kernel/events/share-policy.ts";

const ENDING: Record<ShareFormat, string> = { html: "html", json: "jsonl" };

export function shareName(
  { title, session_id, run_id }: Pick<RecordingManifest, "title" | "session_id" | "run_id">,
  format: ShareFormat,
): string {
  const words = title
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, 48)
    .replaceAll(/^-+|-+$/g, "")
    .toLowerCase();
  const id = (run_id ?? session_id).replaceAll(/[^A-Za-z0-9]+/g, "").slice(-8);
  return ["quarterdeck", words, id].filter((part) => part !== "").join("-") + `.${ENDING[format]}`;
}
