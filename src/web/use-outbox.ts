// The outbox, one storage key per message, so that tabs never overwrite each other and each message has one
// sender.
import { useCallback, useEffect, useSyncExternalStore } from "react";
import type { Api } from "../kernel/client/api.ts";
import { openOutbox, type Outbox, type OutboxEntry } from "../kernel/client/outbox/outbox.ts";
import { outboxStore } from "../kernel/client/outbox/outbox-store.ts";
import { openUploads } from "../kernel/client/outbox/uploads.ts";
import { newId } from "./new-id.ts";
import { onRemembered, recall, remember, rememberedKeys } from "./storage.ts";
import { fileSender } from "./upload-file.ts";
import { useResource } from "./use-resource.ts";

const memory = { get: recall, set: remember, keys: rememberedKeys, onChange: onRemembered };

export function useOutbox(api: Api): Outbox | null {
  const open = useCallback(() => {
    const uploads = openUploads({ send: fileSender(api) });
    // Missing without HTTPS.
    const { locks } = navigator as { locks?: LockManager };
    const store = outboxStore({ memory, locks, pageId: newId("page") });
    const outbox = openOutbox({ api, uploads, store });
    return {
      ...outbox,
      retryNow: () => {
        uploads.retryNow();
        outbox.retryNow();
      },
      close: () => {
        outbox.close();
        uploads.close();
      },
    };
  }, [api]);
  const outbox = useResource(open);
  useEffect(() => {
    if (!outbox) return;
    window.addEventListener("online", outbox.retryNow);
    return () => window.removeEventListener("online", outbox.retryNow);
  }, [outbox]);
  return outbox;
}

export function useOutboxEntries(outbox: Outbox): readonly OutboxEntry[] {
  return useSyncExternalStore(outbox.subscribe, outbox.getState);
}
