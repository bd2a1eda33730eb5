// Builds archives byte by byte, so that each can be wrong in exactly one way. Shares no code with their readers.
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

export type TarEntry = {
  readonly name: string;
  readonly data?: string | Buffer;
  readonly type?: string; // "0" file, "5" folder, "2" link …
  readonly link?: string;
  readonly mode?: number;
  readonly size?: number; // a wrong value
};

export function tar(entries: readonly TarEntry[], { end = true } = {}): Buffer {
  const blocks = entries.flatMap(
    ({ name, data = "", type = "0", link = "", mode = 0o644, size }) => {
      const content = Buffer.from(data);
      const header = Buffer.alloc(512);
      header.write(name, 0, 100);
      header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
      header.write(`${(size ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
      header.write("00000000000\0", 136);
      header.write("        ", 148);
      header.write(type, 156);
      header.write(link, 157, 100);
      header.write("ustar\x0000", 257);
      const sum = header.reduce((all, byte) => all + byte, 0);
      header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
      const room = Buffer.alloc((512 - (content.length % 512)) % 512);
      return [header, content, room];
    },
  );
  return Buffer.concat([...blocks, Buffer.alloc(end ? 1_024 : 0)]);
}

export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tar(entries));
}

export function paxRecord(key: string, value: string): string {
  const body = ` ${key}=${value}\n`;
  for (let length = body.length; ; length += 1) {
    if (`${length}${body}`.length === length) return `${length}${body}`;
  }
}

export type ZipEntry = {
  readonly name: string;
  readonly data?: string | Buffer;
  readonly mode?: number; // with its type, as Unix has it
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly size?: number; // the declared value
  readonly localName?: string;
  readonly offset?: number;
};

export function zip(entries: readonly ZipEntry[], tweak: (end: Buffer) => void = () => {}): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { name, flags = 0x0800, method = 8, mode = 0o100644 } = entry;
    const content = Buffer.from(entry.data ?? "");
    const packed = method === 8 ? deflateRawSync(content) : content;
    const crc = entry.crc ?? crc32(content);
    const size = entry.size ?? content.length;
    const [localName, listedName] = [Buffer.from(entry.localName ?? name), Buffer.from(name)];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(localName.length, 26);
    const listed = Buffer.alloc(46);
    listed.writeUInt32LE(0x02014b50, 0);
    listed.writeUInt16LE(0x0314, 4); // made by Unix
    listed.writeUInt16LE(flags, 8);
    listed.writeUInt16LE(method, 10);
    listed.writeUInt32LE(crc, 16);
    listed.writeUInt32LE(packed.length, 20);
    listed.writeUInt32LE(size, 24);
    listed.writeUInt16LE(listedName.length, 28);
    listed.writeUInt32LE((mode << 16) >>> 0, 38);
    listed.writeUInt32LE(entry.offset ?? at, 42);
    central.push(listed, listedName);
    locals.push(local, localName, packed);
    at += local.length + localName.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  tweak(end);
  return Buffer.concat([...locals, directory, end]);
}
