// An audio file of a message. Loaded on play, by the page, because only the page can prove its login.
import { useEffect, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import { isAudioType } from "../../kernel/events/audio-type.ts";
import type { Attachment } from "../../kernel/events/catalogue/lifecycle.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import styles from "./attachments.module.css";

export function Player({ item: { sha256, media_type, name } }: { item: Attachment }) {
  const { api } = useApp();
  const address = sha256 !== undefined && isAudioType(media_type) ? api.mediaUrl(sha256) : "";
  const [asked, setAsked] = useState(false);
  const [sound, setSound] = useState<{ url: string } | { problem: string } | null>(null);
  useEffect(() => {
    if (!asked) return;
    const stop = new AbortController();
    let url = "";
    const load = async () => {
      const bytes = await (await api.download(address, stop.signal)).blob();
      if (stop.signal.aborted) return;
      url = URL.createObjectURL(bytes);
      setSound({ url });
    };
    load().catch((error: unknown) => {
      if (stop.signal.aborted) return;
      setSound({ problem: toApiFailure(error).message });
      setAsked(false);
    });
    return () => {
      stop.abort();
      URL.revokeObjectURL(url);
    };
  }, [api, address, asked]);
  if (address === "") return null;
  const label = `Play ${visibleLine(name) || "unnamed"}`;
  if (sound && "url" in sound) {
    // What was said is in the transcript where it was turned into text; a recording has no captions.
    // oxlint-disable-next-line jsx-a11y/media-has-caption
    return <audio className={styles.player} controls autoPlay src={sound.url} aria-label={label} />;
  }
  return (
    <>
      <Button icon="play" disabled={asked} aria-label={label} onClick={() => setAsked(true)}>
        {asked ? "Loading…" : "Play"}
      </Button>
      <Problem text={sound?.problem ?? null} />
    </>
  );
}
