// The lines of a recording that was kept. They end at a line feed and nowhere else: node:readline would end one at
// U+2028 too, which JSON leaves as it is, and a person's own words would cut an event in two.
// What is in a line is told by how it begins: nothing is taken in that begins otherwise.
const LINE_FEED = 10;
export const EVENT_BEGINS = '{"event_id":';
export const CONTENT_BEGINS = '{"content":{"sha256":"';

export async function* recordedLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = []; // of a line whose end has not come yet
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, to)]).toString();
      begun = [];
      from = to + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun).toString();
}
