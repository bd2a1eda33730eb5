// `import FILE`: a file of ours becomes a session that is only shown.
import { type Parsed, UsageError } from "../../../config.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { shareDraft } from "../server/share-note.ts";
import { importRecording } from "../server/import.ts";
import { openJournal } from "../../../cli/open-journal.ts";
import { readFileWhole } from "../../../cli/read-file.ts";

export const flags = { again: { type: "boolean" } } as const;

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  const [name] = positionals;
  if (!name) throw new UsageError("Which file? quarterdeck import FILE [--again]");
  const file = readFileWhole(name); // before the journal is open: it could be one of its files (D8)
  await using journal = await openJournal(config);
  const { model, workspace, profile } = config;
  const defaults = { model, workspace, profile };
  try {
    const again = values["again"] === true;
    const { outcome, note } = await importRecording(file, { journal, defaults, again });
    await journal.systemLog.note([shareDraft({ ...note, by: "shell" })]);
    const words = outcome.status === "duplicate" ? "is here already" : `${note.events} events`;
    console.log(`${outcome.session_id}: ${words}.`);
    return 0;
  } catch (error) {
    if (error instanceof ApiError) throw new UsageError(error.message, 1);
    throw error;
  }
}
