// Exports a session as one file; shows what it will contain first.
import { useState } from "react";
import {
  LEFT_OUT_BY,
  PART_LABELS,
  SHARE_PARTS,
  type ShareFormat,
  type SharePart,
  type SharePolicy,
} from "../../../kernel/events/share-policy.ts";
import { useApp } from "../../../web/app-context.ts";
import type { SheetProps } from "../../../web/session/sheet-host.tsx";
import { bytes } from "../../../web/text/format.ts";
import { Button } from "../../../web/ui/button.tsx";
import form from "../../../web/ui/form.module.css";
import { Problem } from "../../../web/ui/problem.tsx";
import { Sheet } from "../../../web/ui/sheet.tsx";
import { useDownload, type Download } from "../../../web/ui/use-download.ts";

const POLICY_LABELS: Record<SharePolicy, string> = {
  share: "To share: without home folders, workspace paths and large contents",
  full: "Everything, with files of up to 8 MB each",
};
const FORMAT_LABELS: Record<ShareFormat, string> = {
  html: "A page that opens offline in any browser (.html)",
  json: "Lines of JSON, for programs (.jsonl)",
};

export function ExportSheet({ sessionId, runId, onClose }: SheetProps<"export">) {
  const { api } = useApp();
  const [policy, setPolicy] = useState<SharePolicy>("share");
  const [format, setFormat] = useState<ShareFormat>("html");
  const [without, setWithout] = useState<readonly SharePart[]>([]);
  const download = useDownload(api);
  const left = SHARE_PARTS.filter(
    (part) => LEFT_OUT_BY[policy].includes(part) || without.includes(part),
  );
  const make = () => {
    const of = runId === null ? `sessions/${encodeURIComponent(sessionId)}` : `runs/${runId}`;
    const query = new URLSearchParams({ format, policy, without: without.join(",") });
    download.start(`/api/${of}/export?${query.toString()}`);
  };
  return (
    <Sheet title={runId === null ? "Export this session" : "Export this run"} onClose={onClose}>
      <form
        className="stack gap-l"
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <Choice name="policy" words={POLICY_LABELS} chosen={policy} onChange={setPolicy} />
        <Parts policy={policy} without={without} onChange={setWithout} />
        <Choice name="format" words={FORMAT_LABELS} chosen={format} onChange={setFormat} />
        <p className={form.hint} data-part="left-out">
          Includes messages and tool activity, unless excluded. Excludes known secrets
          {policy === "share" && " and what looks like a key"}
          {left.map((part) => `; ${PART_LABELS[part]}`)}. The file says so, and by whom it was made.
        </p>
        <Problem text={download.problem} />
        <div className="row flex-wrap gap-m">
          <Button type="submit" tone="primary" icon="down" disabled={download.busy}>
            {download.busy ? "Making it…" : "Download"}
          </Button>
          <Button onClick={onClose}>Close</Button>
          <Progress download={download} />
        </div>
      </form>
    </Sheet>
  );
}

function Progress({ download: { busy, received, name } }: { download: Download }) {
  const words = busy && received > 0 ? `${bytes(received)} so far` : name && `Saved as ${name}`;
  return (
    <span className={form.hint} role="status">
      {words}
    </span>
  );
}

type ChoiceProps<Name extends string> = {
  name: string;
  words: Record<Name, string>;
  chosen: Name;
  onChange: (chosen: Name) => void;
};

function Choice<Name extends string>({ name, words, chosen, onChange }: ChoiceProps<Name>) {
  return (
    <div role="radiogroup" aria-label={name}>
      {(Object.entries(words) as [Name, string][]).map(([each, label]) => (
        <label key={each} className={form.check}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === chosen}
            onChange={() => onChange(each)}
          />
          {label}
        </label>
      ))}
    </div>
  );
}

type PartsProps = {
  policy: SharePolicy;
  without: readonly SharePart[];
  onChange: (without: readonly SharePart[]) => void;
};

function Parts({ policy, without, onChange }: PartsProps) {
  return (
    <div role="group" aria-label="Also exclude">
      <p className={form.hint}>Also exclude:</p>
      {SHARE_PARTS.map((part) => {
        const always = LEFT_OUT_BY[policy].includes(part);
        return (
          <label key={part} className={form.check}>
            <input
              type="checkbox"
              value={part}
              checked={always || without.includes(part)}
              disabled={always}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...without, part]
                    : without.filter((each) => each !== part),
                )
              }
            />
            {PART_LABELS[part]}
          </label>
        );
      })}
    </div>
  );
}
