// The server's voice features. The last known answer is used until a new one arrives, so nothing moves.
import { useEffect } from "react";
import type { ServerStatus } from "../../../kernel/client/records.ts";
import { useApp } from "../../../web/app-context.ts";
import { recall, remember } from "../../../web/storage.ts";

type Voice = ServerStatus["media"];

const KEY = "quarterdeck.voice";
const NONE: Voice = { transcription: false, speech: false };

export function useVoice(): Voice {
  const { status } = useApp();
  const emitted = status?.media;
  const words =
    emitted && [emitted.transcription && "hears", emitted.speech && "speaks"].filter(Boolean);
  const kept = words?.join(" ");
  useEffect(() => {
    if (kept !== undefined) remember(KEY, kept === "" ? null : kept);
  }, [kept]);
  return emitted ?? keptVoice();
}

function keptVoice(): Voice {
  const kept = recall(KEY);
  if (kept === null) return NONE;
  return { transcription: kept.includes("hears"), speech: kept.includes("speaks") };
}
