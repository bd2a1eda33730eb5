// Records from the microphone into a file. Every way to end releases the microphone.

export type Recording = {
  /** Resolves with the file; rejects if cancelled. */
  readonly file: Promise<File>;
  readonly stop: () => void;
  readonly cancel: () => void;
};

/** Below the upload limit; more than an hour at this quality. */
const MAX_BYTES = 19_000_000;
const BITS_PER_SECOND = 32_000;
const PIECE_MS = 1_000;
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

/** Throws a message for the person if there is no microphone or it is not allowed. */
export async function startRecording(): Promise<Recording> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    throw new Error(whyNot(error), { cause: error });
  }
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder = new MediaRecorder(stream, {
    ...(mimeType !== undefined && { mimeType }),
    audioBitsPerSecond: BITS_PER_SECOND,
  });
  const { promise, resolve, reject } = Promise.withResolvers<File>();
  const pieces: Blob[] = [];
  let bytes = 0;
  let isCancelled = false;
  const stop = () => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  recorder.addEventListener("dataavailable", ({ data }) => {
    pieces.push(data);
    bytes += data.size;
    if (bytes > MAX_BYTES) stop();
  });
  recorder.addEventListener("stop", () => {
    for (const track of stream.getTracks()) track.stop();
    if (isCancelled) reject(new Error("cancelled"));
    else resolve(fileOf(pieces, recorder.mimeType));
  });
  promise.catch(() => {}); // whoever waits for it is told as well
  recorder.start(PIECE_MS); // a plug that is pulled ends it with what there is
  return {
    file: promise,
    stop,
    cancel() {
      isCancelled = true;
      stop();
    },
  };
}

function fileOf(pieces: readonly Blob[], mimeType: string): File {
  const [type = "audio/webm"] = mimeType.split(";");
  const ending = type === "audio/mp4" ? "m4a" : type.slice(type.indexOf("/") + 1);
  const at = new Date();
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(".");
  return new File([...pieces], `Recording ${day} ${time}.${ending}`, { type });
}

const WHY: Readonly<Record<string, string>> = {
  NotAllowedError:
    "This page may not use the microphone. Allow it in the browser's settings for this site.",
  NotFoundError: "There is no microphone.",
  NotReadableError: "The microphone is used by another program.",
};

function whyNot(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  return WHY[name] ?? `The microphone cannot be used (${name || "no reason was given"}).`;
}
