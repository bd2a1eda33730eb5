// The "read aloud" button of an answer. The reader is loaded on first use. Not shown in recordings or without a
// voice.
import { Suspense, useState } from "react";
import { lazyPart } from "../../../web/ui/lazy-part.ts";
import type { RunState } from "../../../kernel/state/run/state.ts";
import { get } from "../../../kernel/state/vector.ts";
import { useRecorded, useRun } from "../../../web/session/use-session.ts";
import { AloudButton } from "./aloud-button.tsx";
import { useVoice } from "./use-voice.ts";

const Reader = lazyPart(() => import("./reader.tsx"), "Reader");

export function ReadAloud({ runId }: { runId: string }) {
  const { speech } = useVoice();
  const isRecorded = useRecorded();
  const [isPressed, press] = useState(false);
  const text = useRun(runId, answerOf) ?? "";
  if (!speech || isRecorded || text === "") return null;
  if (!isPressed) return <AloudButton status="none" onPress={() => press(true)} />;
  return (
    <Suspense fallback={<AloudButton status="asking" onPress={() => press(false)} />}>
      <Reader runId={runId} text={text} />
    </Suspense>
  );
}

function answerOf({ items }: RunState): string {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = get(items, at);
    if (item?.kind === "text" && !item.superseded && item.text.trim() !== "") return item.text;
  }
  return "";
}
