// What this session is, how its run is doing, and what to know before trusting what is shown.
import type { ReactNode } from "react";
import { useApp } from "../app-context.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import styles from "./top-bar.module.css";

type TopBarProps = { title: string; status?: ReactNode; children?: ReactNode };

export function TopBar({ title, status, children }: TopBarProps) {
  const { status: server, openDrawer } = useApp();
  return (
    <header className={styles.bar}>
      <span className={styles.menu}>
        <Button tone="quiet" size="icon" icon="menu" aria-label="Sessions" onClick={openDrawer} />
      </span>
      <h1 className={styles.title} title={title}>
        {title}
      </h1>
      {status}
      <div className={styles.badges}>
        {children}
        {server?.sandbox === "none" && (
          <Badge
            tone="warning"
            status="unsandboxed"
            title="Commands run with your rights: nothing around them limits what they can reach."
          >
            Tools run unsandboxed
          </Badge>
        )}
        {server && (
          <Badge
            tone="neutral"
            status="model"
            title={`${server.model.provider}/${server.model.id}`}
          >
            {server.model.demo ? "Demo model (scripted)" : server.model.label}
          </Badge>
        )}
      </div>
    </header>
  );
}
