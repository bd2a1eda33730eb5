// Adapts the page size of reads. Events differ a thousandfold in size, so pages are counted in rows and kept near a
// number of bytes.
const MAX_ROWS = 200;
const FIRST_ROWS = 8;
const PAGE_CHARS = 262_144;
const PIECE_CHARS = 65_536;

export type PageSize = {
  readonly limit: number;
  /** Decides from the size of a page how many rows to ask for next time. */
  learn(page: { count: number; chars: number }): void;
};

export function pageSize(): PageSize {
  let limit = FIRST_ROWS;
  return {
    get limit() {
      return limit;
    },
    learn({ count, chars }) {
      if (chars > PAGE_CHARS) limit = Math.max(1, Math.floor((count * PAGE_CHARS) / chars));
      else if (count === limit) limit = Math.min(MAX_ROWS, limit * 2);
    },
  };
}

/** Frames in order, packed into chunks of a bounded size. Never divides a frame. */
export function* pieces(
  rows: readonly (readonly string[])[],
  pack: (texts: readonly string[]) => Buffer,
): Generator<Buffer> {
  let texts: string[] = [];
  let chars = 0;
  for (const row of rows) {
    for (const text of row) {
      texts.push(text);
      chars += text.length;
    }
    if (chars < PIECE_CHARS) continue;
    yield pack(texts);
    texts = [];
    chars = 0;
  }
  if (texts.length > 0) yield pack(texts);
}
