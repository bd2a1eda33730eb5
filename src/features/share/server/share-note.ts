// What an audit is told of files that go out or come in.
import type { SystemDraft } from "../../../kernel/events/system-events.ts";
import type { ShareFormat } from "../../../kernel/events/share-policy.ts";

declare module "../../../kernel/server/app.ts" {
  interface AppDeps {
    /** Told of every file that goes out or comes in, before it does (out) or once it is here (in). */
    noteExport?: (about: ShareNote) => Promise<void>;
  }
}

/** Told once for every file that goes out or comes in. */
export type ShareNote = {
  readonly action: "export" | "import";
  readonly by: string;
  readonly session_id: string;
  readonly run_id: string | null;
  readonly format: ShareFormat | null;
  readonly policy: string;
  readonly without: readonly string[];
  readonly events: number;
  readonly outcome: string;
};

/** Said before the first byte leaves, and after an import is there. */
export function shareDraft(note: ShareNote): SystemDraft {
  const { action, by, session_id, run_id, format, policy, outcome } = note;
  if (action === "import") {
    const payload = { by, session_id, outcome };
    return { type: "import.made", payload };
  }
  const payload = { by, session_id, run_id, format: format ?? "json", policy };
  return { type: "export.made", payload };
}
