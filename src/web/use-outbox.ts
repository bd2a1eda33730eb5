// The outbox of this page, kept in the browser's storage one key per message: two tabs never overwrite
// each other's unsent words.
import { useCallback, useEffect, useSyncExternalStore } from "react";
import type { Api } from "../client/api.ts";
import {
  openOutbox,
  type Outbox,
  type OutboxEntry,
  type OutgoingMessage,
} from "../client/outbox.ts";
import { openUploads } from "../client/uploads.ts";
import { recallAll, remember } from "./storage.ts";
import { fileSender } from "./upload-file.ts";
import { useResource } from "./use-resource.ts";

const PREFIX = "quarterdeck.outbox.";

export function useOutbox(api: Api): Outbox | null {
  const open = useCallback(() => {
    const uploads = openUploads({ send: fileSender(api) });
    const outbox = openOutbox({ api, uploads, load, save: createSave() });
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

function load(): OutgoingMessage[] {
  return recallAll(PREFIX).flatMap((text) => {
    try {
      return [JSON.parse(text) as OutgoingMessage];
    } catch {
      return []; // written by something else
    }
  });
}

function createSave(): (messages: readonly OutgoingMessage[]) => void {
  let saved = new Set<string>();
  return (messages) => {
    const kept = new Set(messages.map(({ messageId }) => messageId));
    for (const id of saved) if (!kept.has(id)) remember(PREFIX + id, null);
    for (const message of messages) {
      remember(PREFIX + message.messageId, JSON.stringify(message));
    }
    saved = kept;
  };
}
