// A path that opens the file. Outside of the workspace it is plain text.
import type { MouseEvent, ReactNode } from "react";
import { useRecorded, useSession } from "../../session/use-session.ts";
import { pathOf, useRoute } from "../../use-route.ts";
import { insideWorkspace, openFile, visiblePath } from "../open-file.ts";
import styles from "./link.module.css";

type FileLinkProps = {
  path: string;
  line?: number | undefined;
  children?: ReactNode; // other words than the path
};

export function FileLink({ path, line, children }: FileLinkProps) {
  const route = useRoute();
  const workspace = useSession(({ session }) => session.workspace);
  const inside = insideWorkspace(path, workspace);
  const place = `${visiblePath(path)}${line === undefined ? "" : `:${line}`}`;
  const words = children ?? <code>{place}</code>;
  const isRecorded = useRecorded(); // there are no files behind it
  if (inside === null || isRecorded || route.page !== "session") return words;
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation(); // a card or a row may do something else when it is pressed
    openFile(inside, line);
  };
  return (
    <a
      className={styles.link}
      href={pathOf({ ...route, panel: "files", path: inside, line })}
      onClick={follow}
    >
      {words}
    </a>
  );
}
