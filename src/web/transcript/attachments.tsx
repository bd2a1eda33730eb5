// The files of a message, as downloads. Images are previewed when visible, if their bytes really are an image.
import type { Attachment } from "../../kernel/events/catalogue/lifecycle.ts";
import { isImageType } from "../../kernel/events/media-type.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { bytes } from "../text/format.ts";
import { DownloadLink } from "../ui/download-link.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./attachments.module.css";
import { Player } from "./player.tsx";
import { MAX_THUMBNAIL, useThumbnail } from "./use-thumbnail.ts";

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
