// Reads a tar archive strictly: checksums of headers, sizes within bounds, names of the header, of GNU's long names
// and of pax records. Sparse files, continuations and other extensions are refused.
import { checkCount, refuse, type ArchiveEntry } from "./archive-entry.ts";

const BLOCK = 512;
const MAX_META = 65_536; // of a long name or a pax record
const KINDS: Readonly<Record<string, ArchiveEntry["kind"]>> = {
  "\0": "file",
  "0": "file",
  "5": "folder",
  "1": "link",
  "2": "link",
  "3": "other",
  "4": "other",
  "6": "other",
};

export function readTar(archive: Buffer): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let name: string | undefined; // of the next entry, where it did not fit its header
  for (let at = 0; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return entries; // the end
    checkSum(header);
    const bytes = octal(header, 124, 12);
    const type = String.fromCharCode(header[156] ?? 0);
    const content = archive.subarray(at + BLOCK, at + BLOCK + bytes);
    if (content.length !== bytes) refuse("The archive is cut short");
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
    if (type === "L" || type === "x" || type === "g") {
      if (bytes > MAX_META) refuse("The archive has a name that is too long");
      name = type === "L" ? text(content) : paxPath(content, name);
      if (type === "g" && name !== undefined) refuse("The archive names all its entries alike");
      continue;
    }
    const kind = KINDS[type];
    if (!kind)
      refuse(`The archive has an entry of a kind that is not known (${JSON.stringify(type)})`);
    checkCount(entries.length + 1);
    const path = (name ?? nameOf(header)).replace(/\/+$/, "");
    const executable = (octal(header, 100, 8) & 0o111) !== 0;
    entries.push({
      path,
      kind,
      bytes: kind === "file" ? bytes : 0,
      executable,
      read: () => content,
    });
    name = undefined;
  }
  return refuse("The archive has no end");
}

function checkSum(header: Buffer): void {
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  const said = text(header.subarray(148, 156)).trim();
  if (!/^[0-7]{1,7}$/.test(said) || sum !== Number.parseInt(said, 8))
    refuse("This is not a tar archive, or it is damaged");
}

/** Only plain octal: numbers in base 256 are for files larger than any we take. */
function octal(header: Buffer, at: number, length: number): number {
  const digits = text(header.subarray(at, at + length)).trim();
  if (!/^[0-7]{0,11}$/.test(digits)) refuse("The archive has a number that is not one");
  return Number.parseInt(digits || "0", 8);
}

function nameOf(header: Buffer): string {
  const name = text(header.subarray(0, 100));
  const ustar = header.subarray(257, 262).toString("latin1") === "ustar";
  const gnu = header.subarray(257, 265).toString("latin1") === "ustar  \0";
  const prefix = ustar && !gnu ? text(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Up to its first NUL. */
function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("The archive has a name that is not UTF-8");
  }
}

/** Records "<length> <key>=<value>\n". One that changes a size could hide what follows. */
function paxPath(content: Buffer, before: string | undefined): string | undefined {
  let path = before;
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const length = Number(content.subarray(at, space).toString("latin1"));
    if (space < 0 || !Number.isInteger(length) || length < 5 || at + length > content.length) {
      refuse("The archive has a pax record that is not one");
    }
    const record = decode(content.subarray(space + 1, at + length - 1));
    const [key = ""] = record.split("=", 1);
    if (key === "path") path = record.slice(5);
    if (key === "size" || key.startsWith("GNU.sparse")) refuse("The archive has sparse files");
    at += length;
  }
  return path;
}
