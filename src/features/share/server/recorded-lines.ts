// The lines of a recording that was kept. They end at a line feed and nowhere else: node:readline would end one at
// U+2028 too, which JSON leaves as it is, and a person's own words would cut an event in two.
// What is in a line is told by how it begins: nothing is taken in that begins otherwise.
const LINE_FEED = 10;
export const EVENT_BEGINS = '{"event_id":';
export const CONTENT_BEGINS = '{"content":{"sha256":"';

/** `start`: its first byte in the recording. */
export type RecordedLine = {
  readonly text: string;
  readonly start: number;
  readonly bytes: number;
};

export async function* recordedLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<RecordedLine> {
  let begun: Buffer[] = []; // of a line whose end has not come yet
  let start = 0;
  const ended = (last: Buffer): RecordedLine => {
    const line = Buffer.concat([...begun, last]);
    begun = [];
    const emitted = { text: line.toString(), start, bytes: line.length };
    start += line.length + 1;
    return emitted;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      yield ended(chunk.subarray(from, to));
      from = to + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) yield ended(Buffer.alloc(0));
}
