// Reads a zip archive strictly: every local header must agree with the central directory, and inflated data must have
// the promised size and checksum. Zip64, encryption, several disks, and overlapping or hidden data are refused.
import { crc32, inflateRawSync } from "node:zlib";
import { SKILL_LIMITS } from "../../events/skill-limits.ts";
import { checkCount, refuse, tooLarge, type ArchiveEntry } from "./archive-entry.ts";

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 65_535;
const UTF8 = 0x0800;
const ENCRYPTED = 0x2041; // encrypted, strongly, or with a masked directory
const STORED = 0;
const DEFLATED = 8;

type Directory = { readonly at: number; readonly end: number; readonly entries: number };
type Listed = {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly bytes: number;
  readonly offset: number;
  readonly mode: number; // of Unix; 0 when it was not made there
  readonly next: number;
};

export function readZip(archive: Buffer): ArchiveEntry[] {
  const directory = findDirectory(archive);
  checkCount(directory.entries);
  const entries: ArchiveEntry[] = [];
  const used: [from: number, to: number][] = [];
  let total = 0;
  let at = directory.at;
  for (let index = 0; index < directory.entries; index += 1) {
    const listed = readListed(archive, at, directory.end);
    at = listed.next;
    total += listed.bytes;
    if (total > SKILL_LIMITS.unpackedBytes) {
      tooLarge(`The archive unpacks to more than ${SKILL_LIMITS.unpackedBytes} bytes`);
    }
    const data = packedData(archive, listed, directory.at);
    used.push([listed.offset, data.byteOffset - archive.byteOffset + data.length]);
    entries.push(entryOf(listed, data));
  }
  if (at !== directory.end) refuse("The archive's directory is not as long as it says");
  checkOverlaps(used);
  return entries;
}

function findDirectory(archive: Buffer): Directory {
  const first = Math.max(0, archive.length - END_BYTES - MAX_COMMENT);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) {
    if (archive.readUInt32LE(at) !== END) continue;
    if (at + END_BYTES + archive.readUInt16LE(at + 20) !== archive.length) continue;
    const entries = archive.readUInt16LE(at + 10);
    const size = archive.readUInt32LE(at + 12);
    const offset = archive.readUInt32LE(at + 16);
    if (entries === 0xffff || size === 0xffffffff || offset === 0xffffffff) {
      refuse("Zip64 archives are not taken");
    }
    const oneDisk = archive.readUInt32LE(at + 4) === 0 && archive.readUInt16LE(at + 8) === entries;
    if (!oneDisk) refuse("Archives of several parts are not taken");
    if (offset + size !== at) refuse("The archive's directory is not where it says");
    return { at: offset, end: at, entries };
  }
  return refuse("This is not a zip archive");
}

function readListed(archive: Buffer, at: number, end: number): Listed {
  if (at + CENTRAL_BYTES > end || archive.readUInt32LE(at) !== CENTRAL) {
    refuse("The archive's directory is damaged");
  }
  const nameBytes = archive.readUInt16LE(at + 28);
  const next =
    at + CENTRAL_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  if (next > end || archive.readUInt16LE(at + 34) !== 0) {
    refuse("The archive's directory is damaged");
  }
  const isUnix = archive.readUInt8(at + 5) === 3;
  return {
    name: archive.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes),
    flags: archive.readUInt16LE(at + 8),
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    bytes: archive.readUInt32LE(at + 24),
    offset: archive.readUInt32LE(at + 42),
    mode: isUnix ? archive.readUInt32LE(at + 38) >>> 16 : 0,
    next,
  };
}

function packedData(archive: Buffer, listed: Listed, limit: number): Buffer {
  const { offset, packed, name, method, flags, bytes } = listed;
  if ((flags & ENCRYPTED) !== 0) refuse("Encrypted archives are not taken");
  if ([packed, bytes, offset].includes(0xffffffff)) refuse("Zip64 archives are not taken");
  if (offset + LOCAL_BYTES > limit || archive.readUInt32LE(offset) !== LOCAL) {
    refuse("The archive has no entry where its directory says");
  }
  const nameBytes = archive.readUInt16LE(offset + 26);
  const begins = offset + LOCAL_BYTES + nameBytes + archive.readUInt16LE(offset + 28);
  const localName = archive.subarray(offset + LOCAL_BYTES, offset + LOCAL_BYTES + nameBytes);
  if (!localName.equals(name) || archive.readUInt16LE(offset + 8) !== method) {
    refuse("The archive's directory and its entries do not agree");
  }
  if (begins + packed > limit) refuse("The archive is cut short");
  return archive.subarray(begins, begins + packed);
}

/** Entries that share bytes are how small archives become huge ones. */
function checkOverlaps(used: [from: number, to: number][]): void {
  let end = 0;
  for (const [from, to] of used.toSorted(([a], [b]) => a - b)) {
    if (from < end) refuse("The archive has entries that overlap");
    end = to;
  }
}

function entryOf(listed: Listed, data: Buffer): ArchiveEntry {
  const name = nameOf(listed);
  const type = listed.mode & 0o170000;
  const isFolder = name.endsWith("/") || type === 0o040000;
  const isFile = type === 0 || type === 0o100000;
  const kind = type === 0o120000 ? "link" : isFolder ? "folder" : isFile ? "file" : "other";
  return {
    path: name.replace(/\/+$/, ""),
    kind,
    bytes: listed.bytes,
    executable: (listed.mode & 0o111) !== 0,
    read: () => unpacked(listed, data, name),
  };
}

/** Names that are not marked as UTF-8 are in some code page: only its common part is taken. */
function nameOf({ name, flags }: Listed): string {
  const text = name.toString((flags & UTF8) === 0 ? "latin1" : "utf8");
  const isPlain = (flags & UTF8) === 0 ? /^[\x20-\x7e]*$/.test(text) : !text.includes("\ufffd");
  return isPlain ? text : refuse("The archive has a name that is not UTF-8");
}

function unpacked({ method, bytes, crc }: Listed, data: Buffer, name: string): Buffer {
  if (method !== STORED && method !== DEFLATED)
    refuse(`${name} is packed in a way that is not taken`);
  let content: Buffer = data;
  if (method === DEFLATED) {
    try {
      content = inflateRawSync(data, { maxOutputLength: Math.max(1, bytes) });
    } catch {
      refuse(`${name} is damaged, or larger than the archive says`);
    }
  }
  const isAsSaid = content.length === bytes && crc32(content) === crc;
  return isAsSaid ? content : refuse(`${name} is not what the archive says`);
}
