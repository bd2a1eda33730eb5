// The words of conversations, for finding them again. A message is one row and its words, changed
// together: whoever edits a message never finds it by what it said before.
import type { Database } from "./database.ts";
import type { MessageHit } from "../protocol/api-records.ts";
import type { Reads } from "./journal.ts";
import type { ProjectedLog } from "./projections.ts";

/** Of a longer message only the beginning is found. */
const MAX_INDEXED = 32_768;
const MAX_HITS = 50;
const MAX_WORDS = 32;
const SNIPPET = 240; // characters

type Said = {
  log: ProjectedLog;
  seq: number;
  at: number;
  role: "user" | "assistant";
  messageId: string;
  text: string;
};

export function addMessage(db: Database, { log, seq, at, role, messageId, text }: Said): void {
  const kept = text.slice(0, MAX_INDEXED);
  const { lastInsertRowid } = db
    .statement(
      `INSERT INTO messages (log_key, seq, message_id, role, text, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(log.log_key, seq, messageId, role, kept, at);
  db.run("INSERT INTO message_words (rowid, text) VALUES (?, ?)", lastInsertRowid, kept);
}

type Edited = { log: ProjectedLog; messageId: string; text: string };

export function editIndexed(db: Database, { log, messageId, text }: Edited): void {
  const row = db.get(
    `SELECT message_key, text FROM messages WHERE log_key = ? AND message_id = ? AND role = 'user'
     ORDER BY seq DESC LIMIT 1`,
    log.log_key,
    messageId,
  );
  if (!row) return;
  const key = row["message_key"] as number;
  const kept = text.slice(0, MAX_INDEXED);
  db.run(
    "INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', ?, ?)",
    key,
    row["text"] as string,
  );
  db.run("UPDATE messages SET text = ? WHERE message_key = ?", kept, key);
  db.run("INSERT INTO message_words (rowid, text) VALUES (?, ?)", key, kept);
}

export function forgetMessages(db: Database): void {
  db.run("INSERT INTO message_words (message_words) VALUES ('delete-all')");
  db.run("DELETE FROM messages");
}

const FOUND = `
  SELECT m.message_key, s.session_id, l.log_id AS run_id, m.seq, s.title, m.role, m.created_at
  FROM message_words JOIN messages m ON m.message_key = message_words.rowid
    JOIN logs l ON l.log_key = m.log_key JOIN sessions s ON s.session_key = l.session_key
  WHERE message_words MATCH ? AND l.profile = ? AND l.direct IS NULL AND l.quarantined IS NULL
    AND s.deleted = 0
  ORDER BY bm25(message_words), m.message_key DESC LIMIT ?`;
const TEXT = "SELECT text FROM messages WHERE message_key = ?";

export function messageSearch(db: Database): Pick<Reads, "searchMessages"> {
  return {
    async searchMessages({ words, profile, limit }) {
      const wanted = wordsIn(words);
      if (wanted.length === 0) return [];
      const most = Math.min(Math.max(1, Math.trunc(limit) || 1), MAX_HITS);
      return db.read(() =>
        db.all(FOUND, matchOf(wanted), profile, most).map(({ message_key, ...hit }) => {
          const text = db.get(TEXT, message_key as number)?.["text"] as string;
          return { ...hit, snippet: snippetOf(text, wanted) } as MessageHit;
        }),
      );
    },
  };
}

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

function wordsIn(text: string): string[] {
  return (text.slice(0, 1_000).match(WORD) ?? []).slice(0, MAX_WORDS);
}

/** What finds the words in the index; undefined when there are none. */
export function matchFor(text: string): string | undefined {
  const words = wordsIn(text);
  return words.length === 0 ? undefined : matchOf(words);
}

/** Every word quoted, so that nothing in it is an operator; the last one may be half typed. */
function matchOf(words: readonly string[]): string {
  return `${words.map((word) => `"${word}"`).join(" ")}*`;
}

/** Around the first of the words. FTS5's own costs a search per hit. */
function snippetOf(text: string, wanted: readonly string[]): string {
  const plain = wanted.map(folded);
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const said = folded(word);
    if (!plain.some((each) => each !== "" && said.startsWith(each))) continue;
    at = index;
    break;
  }
  const from = Math.max(0, at - SNIPPET / 3);
  const part = text.slice(from, from + SNIPPET).toWellFormed(); // never half a character
  const ends = [from > 0 ? "… " : "", from + SNIPPET < text.length ? " …" : ""];
  return `${ends[0]}${part.trim()}${ends[1]}`;
}

/** As the index sees it: without case and accents. */
export function folded(word: string): string {
  return word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
