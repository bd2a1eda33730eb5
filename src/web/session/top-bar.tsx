// The session's title and badges.
import type { ReactNode } from "react";
import { useApp } from "../app-context.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Badge } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { isDemoModel } from "./active-run.ts";
import { SandboxBadge } from "./safety-badges.tsx";
import styles from "./top-bar.module.css";

type TopBarProps = {
  title: ReactNode;
  model?: string; // the session's; the server's default where there is none yet
  there?: boolean; // false: the session is not read yet, so its model is not known
  status?: ReactNode;
  actions?: ReactNode;
  trust?: ReactNode; // badges that wait for nothing
  children?: ReactNode; // badges that may come at any time: the last ones
};

/** Badges are in order of appearance from the edge inwards, so that none pushes another away. */
export function TopBar(props: TopBarProps) {
  const { title, model, there = true, status, actions, trust, children } = props;
  const { openDrawer, status: server } = useApp();
  return (
    <header className={styles.bar}>
      <span className={styles.menu}>
        <IconButton icon="menu" label="Sessions" onClick={openDrawer} />
      </span>
      <div className={styles.about}>
        {title}
        {status}
      </div>
      <div className={styles.badges}>
        {trust}
        {there && server && (
          <>
            <SandboxBadge />
            <ModelBadge model={model} />
            {children}
          </>
        )}
      </div>
      {actions}
    </header>
  );
}

export function PlainTitle({ text }: { text: string }) {
  return (
    <h1 className={styles.title} title={text}>
      {text}
    </h1>
  );
}

function ModelBadge({ model }: { model: string | undefined }) {
  const { status } = useApp();
  const inUse = status && `${status.model.provider}/${status.model.id}`;
  const name = model || inUse;
  if (!name) return null;
  const label = name === inUse && status ? status.model.label : name;
  return (
    <Badge tone="neutral" status="model" title={visibleLine(name)}>
      <span className={styles.model}>
        {isDemoModel(name) ? "Demo model (scripted)" : visibleLine(label)}
      </span>
    </Badge>
  );
}
