// Uploads that run while a person still writes. Network failures are retried; the bytes live only as long as the
// page, and a message that names a lost file is told so.
import type { UploadedFile } from "../../api/records/records.ts";
import { ApiFailure, toApiFailure } from "../api-failure.ts";
import { delayOf, pause, type Backoff } from "../backoff.ts";
import { immediately, createListeners } from "../listeners.ts";

export type LocalFile = Blob & { readonly name: string };
export type FileState =
  | { readonly status: "uploading"; readonly part: number } // from 0 to 1
  | { readonly status: "waiting"; readonly problem: string } // tried again by itself
  | { readonly status: "failed"; readonly problem: string } // until a person says so
  | { readonly status: "done"; readonly file: UploadedFile };

export type SendFile = (
  file: LocalFile,
  onPart: (part: number) => void,
  signal: AbortSignal,
) => Promise<UploadedFile>;

export type Uploads = {
  readonly add: (fileId: string, file: LocalFile) => void;
  /** Undefined: this page does not have it. */
  readonly state: (fileId: string) => FileState | undefined;
  readonly fileOf: (fileId: string) => LocalFile | undefined;
  /** Settles when the server has it; throws when it never will. */
  readonly whenDone: (fileId: string, signal: AbortSignal) => Promise<UploadedFile>;
  readonly retry: (fileId: string) => void;
  readonly retryNow: () => void;
  readonly drop: (fileId: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
  readonly close: () => void;
};
export type UploadsOptions = {
  readonly send: SendFile;
  readonly random?: () => number;
  readonly backoff?: Backoff;
};

type Entry = { readonly file: LocalFile; readonly stop: AbortController; state: FileState };

const BACKOFF: Backoff = { minMs: 500, maxMs: 8_000 };

export function openUploads({
  send,
  random = Math.random,
  backoff = BACKOFF,
}: UploadsOptions): Uploads {
  const entries = new Map<string, Entry>();
  const listeners = createListeners(immediately);
  let wake = new AbortController();
  /** Whoever waits, once: an aborted signal would end every later wait at once. */
  const retryNow = () => {
    wake.abort();
    wake = new AbortController();
  };
  const change = (entry: Entry, state: FileState) => {
    entry.state = state;
    listeners.notify();
  };
  const upload = async (entry: Entry): Promise<void> => {
    const { signal } = entry.stop;
    for (let failures = 1; !signal.aborted; failures += 1) {
      change(entry, { status: "uploading", part: 0 });
      try {
        const onPart = (part: number) => change(entry, { status: "uploading", part });
        return change(entry, { status: "done", file: await send(entry.file, onPart, signal) });
      } catch (error) {
        if (signal.aborted) return;
        const { message: problem, retryable } = toApiFailure(error);
        if (!retryable) return change(entry, { status: "failed", problem });
        change(entry, { status: "waiting", problem });
        await pause(delayOf(backoff, failures, random), AbortSignal.any([signal, wake.signal]));
      }
    }
  };
  const drop = (fileId: string) => {
    entries.get(fileId)?.stop.abort();
    if (entries.delete(fileId)) listeners.notify();
  };
  const add = (fileId: string, file: LocalFile) => {
    const state: FileState = { status: "uploading", part: 0 };
    const entry: Entry = { file, stop: new AbortController(), state };
    entries.set(fileId, entry);
    upload(entry).catch(() => {}); // every failure is a state
  };
  return {
    add,
    drop,
    state: (fileId) => entries.get(fileId)?.state,
    fileOf: (fileId) => entries.get(fileId)?.file,
    whenDone: (fileId, signal) => settled({ fileId, signal, entries, ...listeners }),
    retry(fileId) {
      const entry = entries.get(fileId);
      if (entry?.state.status === "failed") add(fileId, entry.file);
      else retryNow();
    },
    retryNow,
    subscribe: listeners.subscribe,
    close: () => {
      for (const fileId of entries.keys()) drop(fileId);
    },
  };
}

type Settling = Pick<ReturnType<typeof createListeners>, "subscribe"> & {
  readonly fileId: string;
  readonly signal: AbortSignal;
  readonly entries: ReadonlyMap<string, Entry>;
};

function settled({ fileId, signal, entries, subscribe }: Settling): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const check = () => {
      const state = entries.get(fileId)?.state;
      if (signal.aborted) end(() => reject(signal.reason as Error));
      else if (!state) end(() => reject(lost()));
      else if (state.status === "done") end(() => resolve(state.file));
      else if (state.status === "failed") end(() => reject(refused(state.problem)));
    };
    const stop = subscribe(check);
    const end = (settle: () => void) => {
      stop();
      signal.removeEventListener("abort", check);
      settle();
    };
    signal.addEventListener("abort", check);
    check();
  });
}

function lost(): ApiFailure {
  return new ApiFailure({
    code: "file_lost",
    status: 400,
    message: "The page was reloaded first.",
  });
}

function refused(message: string): ApiFailure {
  return new ApiFailure({ code: "upload_failed", status: 400, message });
}
