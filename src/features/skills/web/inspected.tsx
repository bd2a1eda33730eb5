// The contents of a skill before it is installed: files, executables, text and hash.
import { useState } from "react";
import type { SkillInspection } from "../records.ts";
import { visibleLine, visibleText } from "../../../kernel/text/visible-text.ts";
import type { Mutation } from "../../../web/use-mutation.ts";
import { plural } from "../../../web/text/format.ts";
import { Badge } from "../../../web/ui/badge.tsx";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import styles from "./skills-page.module.css";

type InspectedProps = {
  inspection: SkillInspection;
  task: Mutation;
  onInstall: (name: string) => void;
  onBack: () => void;
};

export function Inspected({ inspection, task, onInstall, onBack }: InspectedProps) {
  const { description, files, bytes, hash, warnings, content, installed, source } = inspection;
  const [name, setName] = useState(inspection.name ?? "");
  const replaces = installed !== null && installed.name === name.trim();
  return (
    <div className="stack gap-l" data-part="inspection">
      <p>{visibleLine(description) || "It has no description."}</p>
      <p className="hint break-anywhere">
        {visibleLine(source)}
        {inspection.folder && ` (${visibleLine(inspection.folder)})`}
      </p>
      {warnings.map((warning) => (
        <p key={warning} className="stack gap-m p-l rounded warn-soft">
          {warning}
        </p>
      ))}
      <h3 className={styles.heading}>
        {plural(files.length, "file")}, {plural(bytes, "byte")}
      </h3>
      <Files files={files} />
      <h3 className={styles.heading}>SKILL.md</h3>
      {/* Not rendered: prose could hide what a model reads. */}
      <pre className={styles.file}>{visibleText(content)}</pre>
      <label className={form.field}>
        <span>Name</span>
        <input value={name} maxLength={64} onChange={(event) => setName(event.target.value)} />
      </label>
      <p className="hint break-anywhere">
        SHA-256 <code className="break-anywhere">{hash}</code>: only this is installed.
      </p>
      {replaces && (
        <p className="stack gap-m p-l rounded warn-soft">
          There is a skill of that name{installed.modified ? ", edited since it was installed" : ""}
          . It goes for this one.
        </p>
      )}
      <Problem text={task.problem} />
      <div className="row flex-wrap gap-m">
        <Button
          tone="primary"
          disabled={task.busy || name.trim() === ""}
          onClick={() => onInstall(name.trim())}
        >
          {replaces ? "Replace it" : "Install"}
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}

function Files({ files }: Pick<SkillInspection, "files">) {
  return (
    <ul className={styles.files}>
      {files.map((file) => (
        <li key={file.path}>
          <code>{visibleLine(file.path)}</code>
          <span className="hint break-anywhere">{plural(file.bytes, "byte")}</span>
          {file.script && (
            <Badge tone="warning" status="script">
              Executable
            </Badge>
          )}
          {file.binary && (
            <Badge tone="warning" status="binary">
              Not text
            </Badge>
          )}
        </li>
      ))}
    </ul>
  );
}
