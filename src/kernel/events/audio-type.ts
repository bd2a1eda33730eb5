// Which kind of sound a file is, by its first bytes. Containers that also hold pictures count only where the
// beginning shows a track of sound and none of pictures: a film is never played as a recording.

export const AUDIO_TYPES = [
  "audio/wav",
  "audio/mpeg",
  "audio/ogg",
  "audio/flac",
  "audio/aac",
  "audio/webm",
  "audio/mp4",
] as const;
export type AudioType = (typeof AUDIO_TYPES)[number];

/** As endpoints know them: some go by the name alone. */
export const AUDIO_ENDINGS: Readonly<Record<AudioType, string>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "audio/aac": "aac",
  "audio/webm": "webm",
  "audio/mp4": "m4a",
};

export function isAudioType(type: string): type is AudioType {
  return (AUDIO_TYPES as readonly string[]).includes(type);
}

export function audioTypeOf(start: Uint8Array): AudioType | undefined {
  const words = latin(start);
  if (words.startsWith("RIFF") && words.startsWith("WAVE", 8)) return "audio/wav";
  if (words.startsWith("OggS")) return words.includes("theora") ? undefined : "audio/ogg";
  if (words.startsWith("fLaC")) return "audio/flac";
  if (words.startsWith("ID3") && isTagVersion(start[3])) return "audio/mpeg";
  if (words.startsWith("\x1aE\xdf\xa3")) return soundIn(words, "A_", "V_") && "audio/webm";
  if (words.startsWith("ftyp", 4)) return isSoundBrand(words) ? "audio/mp4" : undefined;
  return frameType(start);
}

/** Of a tag before the sound; words that begin the same way have a letter there. */
function isTagVersion(byte: number | undefined): boolean {
  return byte === 2 || byte === 3 || byte === 4;
}

/** Codecs are named in the head: A_OPUS and the like for sound, V_VP9 and the like for pictures. */
function soundIn(words: string, sound: string, pictures: string): true | undefined {
  const names = (kind: string) => new RegExp(`${kind}[A-Z]{2}`).test(words);
  return names(sound) && !names(pictures) ? true : undefined;
}

/** Of an MP4 either its brand says so, or its handlers do where they stand at the beginning. */
function isSoundBrand(words: string): boolean {
  if (/^M4[AB] /.test(words.slice(8, 12))) return true;
  const handlers = words.match(/hdlr[^]{8}(soun|vide)/g) ?? [];
  return handlers.length > 0 && handlers.every((handler) => handler.endsWith("soun"));
}

/** A bare frame of MP3 or AAC. Not layer I: its first bytes are also those of text in UTF-16. */
function frameType([first = 0, second = 0, third = 0]: Uint8Array): AudioType | undefined {
  if (first !== 0xff) return undefined;
  if ((second & 0xf6) === 0xf0) return "audio/aac";
  const isLayer3 = (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08;
  const bitrate = third >> 4;
  const isRate = (third & 0x0c) !== 0x0c;
  return isLayer3 && bitrate > 0 && bitrate < 15 && isRate ? "audio/mpeg" : undefined;
}

/** One character per byte, so that bytes can be looked for as words. */
function latin(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
