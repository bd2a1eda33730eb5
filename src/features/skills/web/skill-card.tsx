// A skill in the list: its purpose, source, and how often it was read.
import type { SkillRecord } from "../records.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { plural } from "../../../web/text/format.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import styles from "./skills-page.module.css";

export function SkillCard({ skill, onOpen }: { skill: SkillRecord; onOpen: () => void }) {
  const { name, description, problem, uses, category } = skill;
  return (
    <li>
      <button type="button" className={styles.card} onClick={onOpen}>
        <span className={styles.title}>
          <strong>{visibleLine(name)}</strong>
          {category && <span className="muted">{visibleLine(category)}</span>}
          <SkillState skill={skill} />
        </span>
        <span className="muted">{visibleLine(problem ?? description)}</span>
        <span className="hint break-anywhere">
          {uses === 0 ? "Never read" : `Read ${plural(uses, "time")}`}
        </span>
      </button>
    </li>
  );
}

export function SkillState({ skill }: { skill: SkillRecord }) {
  const { problem, source, modified } = skill;
  if (problem !== null) {
    return (
      <Badge tone="bad" status="broken" title={problem}>
        Cannot be used
      </Badge>
    );
  }
  if (source === null) return null;
  return modified ? (
    <Badge tone="warning" status="modified" title="Changed since it was installed">
      Modified
    </Badge>
  ) : (
    <Badge tone="good" status="installed" title="Unchanged since it was installed">
      Installed
    </Badge>
  );
}
