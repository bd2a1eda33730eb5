// Accepts files dropped anywhere on the page. Otherwise the browser would navigate to the file.
import { useEffect, useRef, useState } from "react";
import { droppedIn, type Dropped } from "./attach.ts";
import styles from "./attachments.module.css";

export function DropZone({ onDrop }: { onDrop: (dropped: Dropped) => void }) {
  const [over, setOver] = useState(false);
  const latest = useRef(onDrop);
  useEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    const stop = new AbortController();
    const listen = (type: "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void) =>
      window.addEventListener(type, (event) => hasFiles(event) && act(event), stop);
    listen("dragover", (event) => {
      event.preventDefault();
      setOver(true);
    });
    listen("dragleave", (event) => {
      if (event.relatedTarget === null) setOver(false); // out of the window, not into another element
    });
    listen("drop", (event) => {
      event.preventDefault();
      setOver(false);
      if (event.dataTransfer) latest.current(droppedIn(event.dataTransfer));
    });
    return () => stop.abort();
  }, []);
  return over ? <div className={styles.dropping}>Drop files to attach them</div> : null;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
