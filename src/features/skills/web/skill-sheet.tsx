// One skill: its text, files and source; can be edited and removed.
import { useState } from "react";
import { Form, TextField } from "../../../web/ui/form.tsx";
import type { skillsCalls } from "../client.ts";
import type { SkillDetail } from "../records.ts";
import { visibleLine, visibleText } from "../../../kernel/text/visible-text.ts";
import { useSystemQuery } from "../../../web/use-query.ts";
import { useMutation, type Mutation } from "../../../web/use-mutation.ts";
import { LazyMarkdown } from "../../../web/markdown/lazy-markdown.tsx";
import { LastChanged } from "../../../web/admin/last-changed.tsx";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { Sheet } from "../../../web/ui/sheet.tsx";
import { SkillState } from "./skill-card.tsx";
import styles from "./skills-page.module.css";

export type SkillCalls = ReturnType<typeof skillsCalls>;
type SkillSheetProps = {
  profile: string;
  name: string;
  calls: SkillCalls;
  onClose: () => void;
  onChanged: () => void;
};

export function SkillSheet({ profile, name, calls, onClose, onChanged }: SkillSheetProps) {
  const { value, problem, refresh } = useSystemQuery([profile, name], (signal) =>
    calls.skill(profile, name, signal),
  );
  const [editing, setEditing] = useState<SkillDetail | null>(null);
  const task = useMutation();
  const changed = () => {
    setEditing(null);
    refresh();
    onChanged();
  };
  const save = (content: string, hash: string) =>
    task.run(() => calls.edit(profile, name, { content, hash }).finally(refresh), changed);
  const remove = (hash: string) =>
    task.run(
      () => calls.remove(profile, name, hash),
      () => {
        onChanged();
        onClose();
      },
    );
  return (
    <Sheet title={visibleLine(name)} size="wide" onClose={onClose}>
      <Problem text={problem} />
      {!value && !problem && <p className="muted">Loading…</p>}
      {editing && (
        <Editor detail={editing} task={task} onSave={save} onCancel={() => setEditing(null)} />
      )}
      {value && !editing && (
        <>
          <Facts detail={value} />
          <div className={styles.text} data-part="skill-text">
            <LazyMarkdown text={withoutFrontMatter(value.content)} />
          </div>
          <SkillFiles detail={value} read={(path) => calls.skillFile(profile, name, path)} />
          <Problem text={task.problem} />
          <Actions
            detail={value}
            busy={task.busy}
            onEdit={() => setEditing(value)}
            onRemove={remove}
          />
        </>
      )}
    </Sheet>
  );
}

function Facts({ detail: { skill } }: { detail: SkillDetail }) {
  return (
    <div className="stack gap-s">
      <p>
        {visibleLine(skill.problem ?? skill.description)} <SkillState skill={skill} />
      </p>
      {skill.source !== null && (
        <p className="hint break-anywhere">Installed from {visibleLine(skill.source)}</p>
      )}
      <p className="hint break-anywhere">
        <code>{skill.hash.slice(0, 16)}</code>
      </p>
      <LastChanged last={skill.last} />
    </div>
  );
}

type EditorProps = {
  detail: SkillDetail;
  task: Mutation;
  onSave: (content: string, hash: string) => void;
  onCancel: () => void;
};

/** The hash is from when editing began, so a later change is never overwritten. */
function Editor({ detail, task, onSave, onCancel }: EditorProps) {
  const [text, setText] = useState(detail.content);
  return (
    <Form className="stack gap-l" onSubmit={() => onSave(text, detail.skill.hash)}>
      <TextField
        label="SKILL.md"
        className="mono"
        rows={20}
        value={text}
        spellCheck={false}
        onChange={setText}
      />
      <Problem text={task.problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" tone="primary" disabled={task.busy || text === detail.content}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </Form>
  );
}

type ActionsProps = {
  detail: SkillDetail;
  busy: boolean;
  onEdit: () => void;
  onRemove: (hash: string) => void;
};

function Actions({ detail, busy, onEdit, onRemove }: ActionsProps) {
  const [asking, setAsking] = useState(false);
  const { hash, name } = detail.skill;
  if (asking) {
    return (
      <div className="stack gap-m p-l rounded warn-soft" role="alert">
        <p>
          Take {visibleText(name)} away? It stays in <code>skills/.removed</code> until the next one
          of its name goes.
        </p>
        <div className="row flex-wrap gap-m">
          <Button tone="danger" disabled={busy} onClick={() => onRemove(hash)}>
            Take it away
          </Button>
          <Button onClick={() => setAsking(false)}>Keep it</Button>
        </div>
      </div>
    );
  }
  return (
    <div className="row flex-wrap gap-m">
      <Button icon="pencil" disabled={busy || detail.truncated} onClick={onEdit}>
        Edit
      </Button>
      <Button icon="trash" tone="quiet" disabled={busy} onClick={() => setAsking(true)}>
        Take away…
      </Button>
    </div>
  );
}

/** Drops the front matter, which is shown elsewhere. */
function withoutFrontMatter(text: string): string {
  const lines = text.split("\n");
  if (lines[0]?.trimEnd() !== "---") return text;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  return end < 0 ? text : lines.slice(end + 1).join("\n");
}

// The other files of a skill, loaded on demand.
type SkillFilesProps = {
  detail: SkillDetail;
  read: (path: string) => Promise<SkillDetail>;
};

function SkillFiles({ detail, read }: SkillFilesProps) {
  const task = useMutation();
  const [shown, setShown] = useState<SkillDetail | null>(null);
  if (detail.files.length === 0) return null;
  return (
    <section aria-label="Files">
      <h3 className="heading">Files</h3>
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
