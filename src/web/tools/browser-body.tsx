// The screenshot of a browser call. Its space is reserved before the image is loaded.
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { screenshotOf } from "../../kernel/events/screenshot.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { bytes } from "../text/format.ts";
import { MAX_THUMBNAIL, useThumbnail } from "../transcript/use-thumbnail.ts";
import { DownloadLink } from "../ui/download-link.tsx";
import styles from "./browser-body.module.css";

export function BrowserBody({ item }: { item: ToolItem }) {
  const { api } = useApp();
  const shot = screenshotOf(item);
  const drawn = shot && shot.bytes <= MAX_THUMBNAIL ? shot.sha256 : undefined;
  const { place, url } = useThumbnail(drawn);
  if (!shot || shot.width === 0 || shot.height === 0) return null;
  const file = api.blobUrl(shot.sha256, "screenshot.png");
  const facts = `${shot.width} × ${shot.height}, ${bytes(shot.bytes)}`;
  return (
    <figure className={styles.shot} data-picture={url === null ? "none" : "shown"}>
      {drawn !== undefined && (
        <span
          ref={place}
          className={styles.place}
          style={{ aspectRatio: `${shot.width} / ${shot.height}` }}
        >
          {url !== null && <img src={url} alt={visibleLine(item.label)} />}
        </span>
      )}
      <figcaption>
        {facts}{" "}
        {file === "" ? (
          "not kept here"
        ) : (
          <DownloadLink url={file} name="screenshot.png">
            Download
          </DownloadLink>
        )}
      </figcaption>
    </figure>
  );
}
