// The skills of a profile: filter, read, write, edit, install, remove.
import { useMemo, useState } from "react";
import { skillsCalls } from "../client.ts";
import type { SkillRecord, SkillsView, SkillInspection, SkillSource } from "../records.ts";
import { useApp } from "../../../web/app-context.ts";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { ProfileChoice, useProfileChoice } from "../../../web/admin/profile-choice.tsx";
import { useSystemQuery } from "../../../web/use-query.ts";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { SkillCard } from "./skill-card.tsx";
import { SkillSheet } from "./skill-sheet.tsx";
import { WriteSheet, type SkillFormProps } from "./write-sheet.tsx";
import { useMutation, type Mutation } from "../../../web/use-mutation.ts";
import { Sheet } from "../../../web/ui/sheet.tsx";
import { Inspected } from "./inspected.tsx";
import { SourceForm } from "./source-form.tsx";

/** The open sheet. */
type Open =
  | { kind: "none" }
  | { kind: "write" }
  | { kind: "install" }
  | { kind: "skill"; name: string };

export function SkillsPage() {
  const { api } = useApp();
  const calls = useMemo(() => skillsCalls(api.calls), [api]);
  const choice = useProfileChoice();
  const { profile } = choice;
  const { value, problem, refresh } = useSystemQuery([profile], (signal) =>
    calls.skills(profile, signal),
  );
  const [open, setOpen] = useState<Open>({ kind: "none" });
  const close = () => setOpen({ kind: "none" });
  const show = (name: string) => {
    refresh();
    setOpen({ kind: "skill", name });
  };
  const shared = { profile, calls, onClose: close };
  return (
    <AdminPage name="skills">
      <p className="muted">
        Reusable instructions that agents can load. Each is a folder with a SKILL.md.
      </p>
      <ProfileChoice {...choice} />
      <div className="row flex-wrap gap-m">
        <Button icon="pencil" onClick={() => setOpen({ kind: "write" })}>
          Write a skill
        </Button>
        <Button icon="down" onClick={() => setOpen({ kind: "install" })}>
          Install…
        </Button>
      </div>
      <Problem text={problem} />
      {!value && !problem && <p className="muted">Loading…</p>}
      {value && <List view={value} onOpen={(name) => setOpen({ kind: "skill", name })} />}
      {open.kind === "write" && <WriteSheet {...shared} onDone={show} />}
      {open.kind === "install" && <InstallSheet {...shared} onDone={show} />}
      {open.kind === "skill" && (
        <SkillSheet key={open.name} {...shared} name={open.name} onChanged={refresh} />
      )}
    </AdminPage>
  );
}

function List({ view, onOpen }: { view: SkillsView; onOpen: (name: string) => void }) {
  const [category, setCategory] = useState<string | null>(null);
  const [words, setWords] = useState("");
  if (view.skills.length === 0) {
    return <p className="muted">No skills yet: write one, install one, or let the agent.</p>;
  }
  const known = category !== null && view.categories.some(({ name }) => name === category);
  const shown = view.skills.filter((skill) => fits(skill, known ? category : null, words));
  return (
    <>
      <label className={form.field}>
        <span>Search skills</span>
        <input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
      </label>
      {view.categories.length > 0 && (
        <div className={form.choices} role="group" aria-label="Category">
          <Group pressed={!known} label="All" onPress={() => setCategory(null)} />
          {view.categories.map(({ name, count }) => (
            <Group
              key={name}
              pressed={known && name === category}
              label={`${name} (${count})`}
              onPress={() => setCategory(name)}
            />
          ))}
        </div>
      )}
      <ul className="stack gap-m plain-list" data-part="skills">
        {shown.map((skill) => (
          <SkillCard key={skill.name} skill={skill} onOpen={() => onOpen(skill.name)} />
        ))}
      </ul>
      {shown.length === 0 && <p className="muted">No skill fits.</p>}
    </>
  );
}

type GroupProps = { pressed: boolean; label: string; onPress: () => void };

function Group({ pressed, label, onPress }: GroupProps) {
  return (
    <button type="button" aria-pressed={pressed} onClick={onPress}>
      {label}
    </button>
  );
}

function fits(
  { name, description, category }: SkillRecord,
  wanted: string | null,
  words: string,
): boolean {
  if (wanted !== null && category !== wanted) return false;
  const text = `${name} ${description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

// Installs a skill in two steps: inspect it, then install exactly what was inspected.
type Looked = { readonly source: SkillSource; readonly inspection: SkillInspection };

function InstallSheet({ profile, calls, onClose, onDone }: SkillFormProps) {
  const [looked, setLooked] = useState<Looked | null>(null);
  const task: Mutation = useMutation();
  const inspect = (find: () => Promise<SkillSource>) =>
    task.run(async () => {
      const source = await find();
      return { source, inspection: await calls.inspect(profile, source) };
    }, setLooked);
  const install = (name: string) => {
    if (!looked) return;
    const { source, inspection } = looked;
    const installed = inspection.installed?.name === name ? inspection.installed : null;
    const replaces = installed ? { replaces: installed.hash } : {};
    const wanted = { source, hash: inspection.hash, name, ...replaces };
    task.run(
      () => calls.install(profile, wanted),
      () => onDone(name),
    );
  };
  const back = () => {
    task.reset();
    setLooked(null);
  };
  return (
    <Sheet title="Install a skill" size="wide" onClose={onClose}>
      {looked ? (
        <Inspected inspection={looked.inspection} task={task} onInstall={install} onBack={back} />
      ) : (
        <SourceForm task={task} onInspect={inspect} />
      )}
    </Sheet>
  );
}
