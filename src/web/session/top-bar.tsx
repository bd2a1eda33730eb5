// What this session is, how its run is doing, and what to know before trusting what is shown.
import type { ReactNode } from "react";
import { useApp } from "../app-context.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { isDemoModel } from "./active-run.ts";
import { SandboxBadge } from "./safety-badges.tsx";
import styles from "./top-bar.module.css";

type TopBarProps = {
  title: ReactNode;
  model?: string; // the session's; the server's default where there is none yet
  status?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
};

export function TopBar({ title, model, status, actions, children }: TopBarProps) {
  const { openDrawer } = useApp();
  return (
    <header className={styles.bar}>
      <span className={styles.menu}>
        <Button tone="quiet" size="icon" icon="menu" aria-label="Sessions" onClick={openDrawer} />
      </span>
      <div className={styles.about}>
        {title}
        {status}
      </div>
      <div className={styles.badges}>
        {children}
        <span className={styles.late}>
          <SandboxBadge />
          <ModelBadge model={model} />
        </span>
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
