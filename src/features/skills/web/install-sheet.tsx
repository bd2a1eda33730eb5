// A skill from elsewhere, in two steps: look into it, then install exactly that.
import { useState } from "react";
import type { SkillInspection, SkillSource } from "../records.ts";
import { useMutation, type Mutation } from "../../../web/use-mutation.ts";
import { Sheet } from "../../../web/ui/sheet.tsx";
import { Inspected } from "./inspected.tsx";
import { SourceForm } from "./source-form.tsx";
import type { SkillFormProps } from "./write-sheet.tsx";

type Looked = { readonly source: SkillSource; readonly inspection: SkillInspection };

export function InstallSheet({ profile, calls, onClose, onDone }: SkillFormProps) {
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
