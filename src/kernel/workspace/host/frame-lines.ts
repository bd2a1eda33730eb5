// Splits a byte stream into lines with bounded memory: of a line beyond the limit only the beginning is kept, and the
// rest is skipped up to the next newline.

export type FrameLine = { text: string; overlong: boolean };
export type LineSplitter = (chunk: Buffer) => FrameLine[];

const HEAD = 1_000;

export function createLineSplitter(limit: number): LineSplitter {
  let parts: Buffer[] = [];
  let size = 0;
  let head: string | undefined; // set while an overlong line is being skipped

  function keep(part: Buffer): void {
    size += part.length;
    if (head !== undefined) return;
    parts.push(part);
    if (size <= limit) return;
    head = Buffer.concat(parts).toString("utf8", 0, HEAD);
    parts = [];
  }

  function finish(): FrameLine {
    const line =
      head === undefined
        ? { text: Buffer.concat(parts).toString("utf8"), overlong: false }
        : { text: head, overlong: true };
    parts = [];
    size = 0;
    head = undefined;
    return line;
  }

  return (chunk) => {
    const lines: FrameLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, end));
      from = end + 1;
      if (size > 0) lines.push(finish());
    }
    if (from < chunk.length) keep(chunk.subarray(from));
    return lines;
  };
}

/** A frame of our own program of the same version. Undefined for anything else: a broken line never ends a process. */
export function parseFrame<Frame extends { readonly kind: string }>(
  line: string,
): Frame | undefined {
  const value = parseJson(line);
  const isFrame = typeof value === "object" && value !== null && "kind" in value;
  return isFrame ? (value as Frame) : undefined;
}

/** Undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
