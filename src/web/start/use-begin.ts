// Beginning a session. Its id is chosen here, so a start that is sent twice is still one session and one run.
import { useEffect, useState } from "react";
import type { OutgoingFile } from "../../client/outbox.ts";
import { useApp } from "../app-context.ts";
import { putBack } from "../composer/drafts.ts";
import { newId } from "../new-id.ts";
import { useOutboxEntries } from "../use-outbox.ts";
import { navigate } from "../use-route.ts";

export type Begin = {
  readonly begin: (text: string, model?: string, files?: readonly OutgoingFile[]) => void;
  readonly waiting: boolean;
  readonly problem: string | null;
};

export function useBegin(): Begin {
  const { outbox } = useApp();
  const [wanted, setWanted] = useState<string | null>(null);
  const entry = useOutboxEntries(outbox).find((known) => known.messageId === wanted);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => {
    if (entry?.status === "refused") {
      const back = outbox.takeBack(entry.messageId); // nobody would find it in a session that is not there
      if (back) putBack("new", { text: back.text, files: back.files ?? [] });
      // oxlint-disable-next-line react/set-state-in-effect -- the entry that says why is gone from here on
      setRefusal(entry.problem);
    }
    if (entry?.status !== "sent") return;
    outbox.discard(entry.messageId);
    navigate({ page: "session", sessionId: entry.sessionId });
  }, [entry, outbox]);

  const begin: Begin["begin"] = (text, model, files = []) => {
    setRefusal(null);
    const messageId = newId("msg");
    const message = { messageId, sessionId: newId("ses"), text, target: null };
    const more = { ...(model !== undefined && { model }), ...(files.length > 0 && { files }) };
    outbox.add({ ...message, ...more });
    setWanted(messageId);
  };
  const waiting = entry !== undefined && entry.status !== "sent" && entry.status !== "refused";
  return { begin, waiting, problem: entry?.problem ?? refusal };
}
