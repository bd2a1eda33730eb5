// Minimal sound files of each type.

/** A playable tone of the given milliseconds: 8 kHz, 16 bit, one channel. */
export function wav(ms = 50, hertz = 440): Buffer {
  const samples = Math.round((8_000 * ms) / 1_000);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + samples * 2, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // plain samples
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples * 2, 40);
  const data = Buffer.alloc(samples * 2);
  for (let at = 0; at < samples; at += 1) {
    data.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * hertz * at) / 8_000)), at * 2);
  }
  return Buffer.concat([head, data]);
}

const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x9f]);
export const webm = (...codecs: string[]) =>
  Buffer.concat([EBML, Buffer.from(`\0webm\0${codecs.join("\0")}\0`, "latin1")]);

export const mp4 = (brand: string, ...handlers: string[]) =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from(`ftyp${brand}\0\0\0\0`, "latin1"),
    ...handlers.map((kind) => Buffer.from(`\0\0\0\x21hdlr\0\0\0\0\0\0\0\0${kind}`, "latin1")),
  ]);
