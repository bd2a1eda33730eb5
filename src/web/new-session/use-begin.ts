// Starts a session. Its id is chosen here, so a start that is sent twice is one session.
import { useEffect, useRef, useState } from "react";
import type { OutgoingFile } from "../../kernel/client/outbox/outbox.ts";
import { useApp } from "../app-context.ts";
import { changeDraft, draftOf, putBack } from "../composer/drafts.ts";
import { wantFocus } from "../composer/wanted-focus.ts";
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
  const writing = useRef(false); // it was sent from the field, and the field is still theirs
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
    if (writing.current && isAtField()) takeAlong(entry.sessionId);
    navigate({ page: "session", sessionId: entry.sessionId });
  }, [entry, outbox]);

  const begin: Begin["begin"] = (text, model, files = []) => {
    setRefusal(null);
    writing.current = draftOf("new").text === "" && isAtField();
    const messageId = newId("msg");
    const message = { messageId, sessionId: newId("ses"), text, target: null };
    const more = { ...(model !== undefined && { model }), ...(files.length > 0 && { files }) };
    outbox.add({ ...message, ...more });
    setWanted(messageId);
  };
  const waiting = entry !== undefined && entry.status !== "sent" && entry.status !== "refused";
  return { begin, waiting, problem: entry?.problem ?? refusal };
}

/** Nothing else on the page has the focus. */
function isAtField(): boolean {
  const active = document.activeElement;
  if (active === null || active === document.body) {
    // The send button lost the focus. On phones this would open the keyboard.
    return !matchMedia("(pointer: coarse)").matches;
  }
  const form = document.getElementById("composer")?.closest("form");
  return form?.contains(active) ?? false;
}

/** Moves the focus and the newly typed text to the field of the session. */
function takeAlong(sessionId: string): void {
  const { text, files } = draftOf("new");
  changeDraft("new", { text: "", files: [] });
  if (text !== "" || files.length > 0) changeDraft(sessionId, { text, files });
  wantFocus(sessionId);
}
