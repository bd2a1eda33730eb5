// The other files of a skill, each shown as the text it is when it is asked for.
import { useState } from "react";
import type { SkillDetail } from "../records.ts";
import { visibleLine, visibleText } from "../../../kernel/text/visible-text.ts";
import { useMutation } from "../../../web/use-mutation.ts";
import { Problem } from "../../../web/ui/problem.tsx";
import form from "../../../web/ui/form.module.css";
import styles from "./skills-page.module.css";

type SkillFilesProps = {
  detail: SkillDetail;
  read: (path: string) => Promise<SkillDetail>;
};

export function SkillFiles({ detail, read }: SkillFilesProps) {
  const task = useMutation();
  const [shown, setShown] = useState<SkillDetail | null>(null);
  if (detail.files.length === 0) return null;
  return (
    <section aria-label="Files">
      <h3 className={styles.heading}>Files</h3>
      <div className={form.choices}>
        {detail.files.map((path) => (
          <button
            key={path}
            type="button"
            aria-pressed={shown?.path === path}
            onClick={() => task.run(() => read(path), setShown)}
          >
            {visibleLine(path)}
          </button>
        ))}
      </div>
      <Problem text={task.problem} />
      {shown && <pre className={styles.file}>{visibleText(shown.content)}</pre>}
    </section>
  );
}
