// The files of a message, as downloads. Images are previewed when visible, if their bytes really are an image.
import { useEffect, useState } from "react";
import type { Attachment } from "../../kernel/events/catalogue/lifecycle.ts";
import { isImageType } from "../../kernel/events/media-type.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { bytes } from "../text/format.ts";
import { DownloadLink } from "../ui/download-link.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./attachments.module.css";
import { MAX_THUMBNAIL, useThumbnail } from "./use-thumbnail.ts";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import { isAudioType } from "../../kernel/events/audio-type.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";

export function Attachments({ items }: { items: readonly Attachment[] }) {
  if (items.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Attachments">
      {items.map((item, index) => (
        // The list of a message never changes, and one file may be in it twice.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} className={styles.item}>
          <AttachedFile item={item} />
          <Player item={item} />
        </li>
      ))}
    </ul>
  );
}

function AttachedFile({ item }: { item: Attachment }) {
  const { api } = useApp();
  const { sha256, name: given, media_type, bytes: size } = item;
  const name = visibleLine(given) || "unnamed";
  const facts = [visibleLine(media_type), size !== undefined && bytes(size)].filter(Boolean);
  const about = (
    <>
      <Picture item={item} />
      <span className="stack min-w-0">
        <span className="ellipsis">{name}</span>
        <span className="hint ellipsis">
          {facts.join(" · ")}
          {(sha256 === undefined || api.blobUrl(sha256) === "") && " · not kept here"}
        </span>
      </span>
    </>
  );
  const url = sha256 === undefined ? "" : api.blobUrl(sha256, given);
  if (url === "") return <span className={styles.file}>{about}</span>;
  return (
    <DownloadLink className={styles.file} url={url} name={name} title={`Download ${name}`}>
      {about}
    </DownloadLink>
  );
}

function Picture({ item: { sha256, media_type, bytes: size } }: { item: Attachment }) {
  const maybe = isImageType(media_type) && size !== undefined && size <= MAX_THUMBNAIL;
  const { place, url } = useThumbnail(maybe ? sha256 : undefined);
  return (
    <span ref={place} className={styles.picture} data-picture={url === null ? "none" : "shown"}>
      {url === null ? <Icon name="file" /> : <img src={url} alt="" width={48} height={48} />}
    </span>
  );
}

// An audio file of a message. Loaded on play, by the page, because only the page can prove its login.
function Player({ item: { sha256, media_type, name } }: { item: Attachment }) {
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
