// The source of a skill: a git address, a file from this device, or a path on the server.
import { useState } from "react";
import type { SkillSource } from "../records.ts";
import { useApp } from "../../../web/app-context.ts";
import type { Mutation } from "../../../web/use-mutation.ts";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { fileSender } from "../../../web/upload-file.ts";

type SourceFormProps = {
  task: Mutation;
  onInspect: (find: () => Promise<SkillSource>) => void;
};
const KINDS = [
  { kind: "git", label: "Git address" },
  { kind: "upload", label: "Archive from this device" },
  { kind: "path", label: "Folder or archive on the server" },
] as const;
type Kind = (typeof KINDS)[number]["kind"];

export function SourceForm({ task, onInspect }: SourceFormProps) {
  const { api } = useApp();
  const [kind, setKind] = useState<Kind>("git");
  const [place, setPlace] = useState("");
  const [folder, setFolder] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const which = folder.trim() === "" ? {} : { folder: folder.trim() };
  const ready = kind === "upload" ? file !== null : place.trim() !== "";
  const find = async (): Promise<SkillSource> => {
    if (kind === "git") return { kind, url: place.trim(), ...which };
    if (kind === "path") return { kind, path: place.trim(), ...which };
    if (!file) throw new Error("no file");
    const stop = new AbortController();
    const { sha256 } = await fileSender(api)(file, () => {}, stop.signal);
    return { kind, sha256, ...which };
  };
  return (
    <form
      className="stack gap-l"
      onSubmit={(event) => {
        event.preventDefault();
        onInspect(find);
      }}
    >
      <div className={form.choices} role="group" aria-label="From where">
        {KINDS.map((one) => (
          <button
            key={one.kind}
            type="button"
            aria-pressed={kind === one.kind}
            onClick={() => setKind(one.kind)}
          >
            {one.label}
          </button>
        ))}
      </div>
      <Place kind={kind} place={place} onPlace={setPlace} onFile={setFile} />
      <label className={form.field}>
        <span>Subfolder (if the source contains several skills)</span>
        <input
          value={folder}
          maxLength={1_000}
          onChange={(event) => setFolder(event.target.value)}
        />
      </label>
      <p className={form.hint}>
        Nothing is run and nothing is written by looking. Then you see every file before you
        install.
      </p>
      <Problem text={task.problem} />
      <div className="row flex-wrap gap-m">
        <Button type="submit" tone="primary" disabled={task.busy || !ready}>
          {task.busy ? "Looking…" : "Preview"}
        </Button>
      </div>
    </form>
  );
}

type PlaceProps = {
  kind: Kind;
  place: string;
  onPlace: (place: string) => void;
  onFile: (file: File | null) => void;
};

function Place({ kind, place, onPlace, onFile }: PlaceProps) {
  if (kind === "upload") {
    return (
      <label className={form.field}>
        <span>A .tar.gz or .zip</span>
        <input
          type="file"
          accept=".zip,.tgz,.tar,.gz"
          onChange={(event) => onFile(event.target.files?.[0] ?? null)}
        />
      </label>
    );
  }
  return (
    <label className={form.field}>
      <span>{kind === "git" ? "Address, https" : "Full path on the server"}</span>
      <input
        value={place}
        maxLength={2_000}
        placeholder={kind === "git" ? "https://…" : "/…"}
        onChange={(event) => onPlace(event.target.value)}
      />
    </label>
  );
}
