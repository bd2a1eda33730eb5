// Finds the folders that git's index declares as submodules: a person's `git status` runs git in each of them, with
// the settings it finds there. Only their names are read.
const GITLINK = Buffer.from([0, 0, 0xe0, 0]); // the mode of a submodule
const HEADER = 12;
const BEFORE_ID = 40; // times, device, inode, mode, owner and size
const MODE_AT = 24;
const EXTENDED = 0x40_00;
const ID_LENGTHS = [20, 32]; // SHA-1, SHA-256

/** Paths below the top of the working tree; undefined: there are some, and they cannot be told. */
export function submodulesIn(index: Buffer): string[] | undefined {
  if (!index.includes(GITLINK)) return [];
  const read = ID_LENGTHS.map((length) => submodulesBy(length, index)).filter(
    (it) => it !== undefined,
  );
  const names = new Set(read.flat());
  return read.length === 0 || names.has("") ? undefined : [...names]; // "": it stands in another file
}

/** Undefined: it is no index with ids of this length. */
function submodulesBy(idLength: number, index: Buffer): string[] | undefined {
  if (index.length < HEADER || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  const found: string[] = [];
  let name = Buffer.alloc(0);
  let at = HEADER;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + BEFORE_ID + idLength;
    if (flagsAt + 4 > index.length) return undefined;
    const flags = index.readUInt16BE(flagsAt);
    let nameAt = flagsAt + (flags & EXTENDED ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const removed = offsetAt(index, nameAt);
      kept = name.length - removed.value;
      nameAt = removed.next;
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0 || kept < 0) return undefined;
    name = Buffer.concat([name.subarray(0, kept), index.subarray(nameAt, end)]);
    if (Math.min(name.length, 0xf_ff) !== (flags & 0xf_ff)) return undefined;
    if (index.subarray(at + MODE_AT, at + MODE_AT + 4).equals(GITLINK)) found.push(name.toString());
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return found;
}

/** A number as packs have it: seven bits a byte, one added for each that follows. */
function offsetAt(index: Buffer, from: number): { value: number; next: number } {
  let next = from;
  let byte = index[next] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80) {
    next += 1;
    byte = index[next] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: next + 1 };
}
