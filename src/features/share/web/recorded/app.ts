// The app context of a recording: contents and changes come from the file; everything else is refused with a
// reason.
import type { Api } from "../../../../kernel/client/api.ts";
import { ApiFailure } from "../../../../kernel/client/api-failure.ts";
import { createSessionList } from "../../../../kernel/client/sessions/list.ts";
import type { Outbox } from "../../../../kernel/client/outbox/outbox.ts";
import type { RecordedFile } from "../../client/file.ts";
import { createSessionCache } from "../../../../kernel/client/sessions/cache.ts";
import type { SessionStore } from "../../../../kernel/client/sessions/store.ts";
import type { AppContextValue } from "../../../../web/app-context.ts";
import { recordedDiff } from "./diff.ts";

const nothing = () => {};
const never = () => nothing;

export function recordedApi(file: RecordedFile): Api {
  const refuse = () =>
    Promise.reject(
      new ApiFailure({
        code: "recorded",
        message: "This is a recording: there is no server behind it.",
        status: 404,
      }),
    );
  const own: Partial<Api> = {
    blobUrl: (sha256) => {
      const base64 = file.contents.get(sha256);
      return base64 === undefined ? "" : `data:application/octet-stream;base64,${base64}`;
    },
    mediaUrl: () => "", // a recording plays nothing: its contents are files to keep
    diff: async (_sessionId, request) => recordedDiff(file, request),
    calls: { get: refuse, post: refuse },
  };
  return new Proxy(own as Api, {
    get: (known, name) => (Object.hasOwn(known, name) ? known[name as keyof Api] : refuse),
  });
}

export function recordedApp(file: RecordedFile, store: SessionStore): AppContextValue {
  return {
    api: recordedApi(file),
    outbox: NO_OUTBOX,
    status: null,
    sessions: [],
    board: createSessionList(),
    stores: createSessionCache(() => store),
    storage: { getAway: () => false, subscribe: never },
    refreshSessions: nothing,
    openDrawer: nothing,
    loggedOut: nothing,
  };
}

const NO_ENTRIES: readonly never[] = [];
const NO_OUTBOX: Outbox = {
  get uploads(): never {
    throw new Error("A recording takes no files");
  },
  getState: () => NO_ENTRIES,
  subscribe: never,
  add: nothing,
  discard: nothing,
  takeBack: () => undefined,
  retryNow: nothing,
  close: nothing,
  closed: Promise.resolve(),
};
