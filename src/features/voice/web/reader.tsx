// Reads an answer aloud until it ends or is stopped.
import { useCallback, useEffect, useSyncExternalStore } from "react";
import { mediaCalls } from "../client.ts";
import { useApp } from "../../../web/app-context.ts";
import { Problem } from "../../../web/ui/problem.tsx";
import { AloudButton } from "./aloud-button.tsx";
import { getReading, readAloud, stopReading, subscribe } from "./speaker.ts";
import { spokenPieces } from "./spoken-text.ts";

export function Reader({ runId, text }: { runId: string; text: string }) {
  const { api } = useApp();
  const reading = useSyncExternalStore(subscribe, getReading);
  const own = reading?.id === runId ? reading : null;
  const begin = useCallback(() => {
    const { speak } = mediaCalls(api.calls);
    readAloud(runId, spokenPieces(text), async (piece, signal) => {
      const { sha256 } = await speak({ text: piece }, signal);
      return (await api.download(api.mediaUrl(sha256), signal)).blob();
    });
  }, [api, runId, text]);
  useEffect(() => {
    begin();
    return () => {
      if (getReading()?.id === runId) stopReading(); // nobody sees any more what could end it
    };
  }, [begin, runId]);
  const isOn = own?.status === "asking" || own?.status === "speaking";
  return (
    <>
      <Problem text={own?.problem ?? null} />
      <AloudButton status={own?.status ?? "none"} onPress={isOn ? stopReading : begin} />
    </>
  );
}
