// Links a branch to the session it came from.
import { useApp } from "../app-context.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import styles from "./session-page.module.css";
import { useSession } from "./use-session.ts";

export function BranchLine() {
  const { sessions } = useApp();
  const parentId = useSession(({ session }) => session.parentSessionId);
  if (parentId === null) return null;
  const parent = sessions?.find(({ session_id }) => session_id === parentId);
  const name = visibleLine(parent?.title ?? "") || "another session";
  return (
    <p className={styles.branch}>
      <Icon name="branch" />
      <span>
        Branch of <Link to={{ page: "session", sessionId: parentId }}>{name}</Link>: what was said
        before is there.
      </span>
    </p>
  );
}
