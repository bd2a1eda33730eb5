// The files of a draft: progress, and a button to remove each.
import { useEffect, useState, useSyncExternalStore } from "react";
import type { OutgoingFile } from "../../kernel/client/outbox/outbox.ts";
import type { FileState, Uploads } from "../../kernel/client/outbox/uploads.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { bytes, percent } from "../text/format.ts";
import { pictureOf } from "../transcript/use-thumbnail.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./attachments.module.css";

type TrayProps = {
  files: readonly OutgoingFile[];
  uploads: Uploads;
  onRemove: (fileId: string) => void;
};

export function AttachmentTray({ files, uploads, onRemove }: TrayProps) {
  if (files.length === 0) return null;
  return (
    <ul className={styles.tray} aria-label="Files to send">
      {files.map((file) => (
        <Chip
          key={file.fileId}
          file={file}
          uploads={uploads}
          onRemove={() => onRemove(file.fileId)}
        />
      ))}
    </ul>
  );
}

type ChipProps = { file: OutgoingFile; uploads: Uploads; onRemove: () => void };

function Chip({ file, uploads, onRemove }: ChipProps) {
  const state = useSyncExternalStore(uploads.subscribe, () => uploads.state(file.fileId));
  const picture = usePicture(uploads, file.fileId);
  const name = visibleLine(file.name) || "unnamed";
  const status = file.sha256 === undefined ? (state?.status ?? "lost") : "done";
  return (
    <li className={styles.chip} data-file={status}>
      <span className={styles.picture}>
        {picture === null ? <Icon name="file" /> : <img src={picture} alt="" />}
      </span>
      <span className={styles.words}>
        <span className="ellipsis" title={name}>
          {name}
        </span>
        <span className={styles.facts} role={status === "failed" ? "alert" : undefined}>
          {status === "done" ? bytes(file.bytes) : wordsFor(state, file)}
        </span>
      </span>
      {state?.status === "uploading" && status !== "done" && (
        <progress className={styles.progress} value={state.part} aria-label={`Uploading ${name}`} />
      )}
      {status === "failed" && (
        <IconButton
          icon="again"
          label={`Upload ${name} again`}
          onClick={() => uploads.retry(file.fileId)}
        />
      )}
      <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />
    </li>
  );
}

function wordsFor(state: FileState | undefined, file: OutgoingFile): string {
  if (!state) return "Not uploaded before the reload: add it again";
  if (state.status === "uploading") return `${percent(state.part)} of ${bytes(file.bytes)}`;
  if (state.status === "waiting") return "Uploads when the server answers";
  return state.status === "failed" ? `Not uploaded: ${state.problem}` : bytes(file.bytes);
}

/** A preview of local bytes; after a reload there are none. */
function usePicture(uploads: Uploads, fileId: string): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    const file = uploads.fileOf(fileId);
    if (!file) return;
    let wanted = true;
    pictureOf(file).then(
      (url) => wanted && setPicture(url),
      () => {}, // it may have been moved or deleted on the disk: its upload says so
    );
    return () => {
      wanted = false;
    };
  }, [uploads, fileId]);
  return picture;
}
