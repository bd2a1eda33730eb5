// Says that this is a recording, when and by whom it was made, and what was left out.
import type { RecordingManifest } from "../../../kernel/events/recording-file.ts";
import { PART_LABELS } from "../../../kernel/events/share-policy.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { exactTime, plural } from "../../../web/text/format.ts";
import { Icon } from "../../../web/ui/icon.tsx";
import styles from "./recorded.module.css";

export function RecordedNote({ manifest }: { manifest: RecordingManifest }) {
  const { kind, exported_at, exported_by, without, redacted, verified, missing } = manifest;
  const gone = missing.large + missing.secret + missing.gone + missing.policy;
  return (
    <details className={styles.note} data-recording={manifest.session_id}>
      <summary>
        <Icon name="clock" />
        <span>
          A recording of {new Date(exported_at * 1000).toLocaleDateString()}
          {kind === "run" && ", of one run"}
          {without.length > 0 || redacted > 0 || gone > 0 ? " · redacted" : ""}
        </span>
      </summary>
      <ul>
        <li>
          Made {exactTime(exported_at)} by {visibleLine(exported_by)}, policy “{manifest.policy}”.
        </li>
        <li>
          Left out: known secrets
          {manifest.policy === "share" && " and what looks like a key"}
          {without.map((part) => `; ${PART_LABELS[part]}`)}.
        </li>
        <li>
          {plural(verified, "event")} as stored (the hash fits), {plural(redacted, "event")}{" "}
          redacted (the hash is of what was there before).
        </li>
        <li>
          {plural(manifest.contents, "content")} of files and outputs included
          {gone > 0 && `, ${gone} not (${whyGone(missing)})`}.
        </li>
      </ul>
    </details>
  );
}

const WHY: Record<keyof RecordingManifest["missing"], string> = {
  large: "too large",
  secret: "with a secret or a home folder in it",
  gone: "no longer kept",
  policy: "by policy",
};

function whyGone(missing: RecordingManifest["missing"]): string {
  return Object.entries(missing)
    .filter(([, count]) => count > 0)
    .map(([why, count]) => `${count} ${WHY[why as keyof typeof WHY]}`)
    .join(", ");
}
