// Checks that the journal holds everything that was written to it.
import { sentenceOf, type Loss } from "../../kernel/journal/sqlite/high-water-mark.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { Finding } from "./doctor.ts";

export async function journalFindings(journal: Journal, repair: boolean): Promise<Finding[]> {
  return [
    await chains(journal),
    ...(await quarantines(journal, repair)),
    ...(await lists(journal)),
    ...(await losses(journal)),
  ];
}

async function chains(journal: Journal): Promise<Finding> {
  const problems = await journal.upkeep.verify();
  if (problems.length === 0) return { name: "journal", state: "ok", text: "every chain verifies" };
  const list = problems.map(({ logId, problem }) => `${logId}: ${problem}`).join("; ");
  const text = `${list}. Quarantined; nothing was deleted. "quarterdeck restore FILE" brings a backup back.`;
  return { name: "journal", state: "problem", text };
}

/** A quarantine outlives its reason where a disk failed for a moment, or a backup of the file was put back. */
async function quarantines(journal: Journal, repair: boolean): Promise<Finding[]> {
  const sound = await journal.upkeep.lift({ by: "shell", ask: !repair });
  if (sound.length === 0) return [];
  const names = sound.map(({ logId }) => logId).join(", ");
  const text = repair
    ? `${names} verified again and no longer quarantined`
    : `${names} quarantined, but every byte verifies: "quarterdeck doctor --repair" serves it again`;
  return [{ name: "quarantine", state: repair ? "ok" : "problem", text }];
}

async function lists(journal: Journal): Promise<Finding[]> {
  const problems = await journal.upkeep.listProblems();
  if (problems.length === 0) return [];
  const text = `${problems.join("; ")}. Not served; "quarterdeck doctor --rebuild" makes lists anew from the events.`;
  return [{ name: "lists", state: "problem", text }];
}

/** The newest time that acknowledged events were not there. */
async function losses(journal: Journal): Promise<Finding[]> {
  const [body] = await journal.systemLog.events({ types: ["history.lost"], limit: 1 });
  if (body === undefined) return [];
  const { created_at, payload } = JSON.parse(body) as { created_at: number; payload: Loss };
  const when = new Date(created_at * 1_000).toISOString();
  return [{ name: "history", state: "note", text: `${when}: ${sentenceOf(payload)}` }];
}
