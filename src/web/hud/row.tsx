// One row of the activity feed; expanded, it shows input and output as JSON.
import { memo } from "react";
import type { HudNode } from "../../windows/hud/state/hud-state.ts";
import { visibleJson, visibleLine } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { useIsPast, useSource } from "../session/use-session.ts";
import { bytes, duration, elapsed, exactTime } from "../text/format.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { DownloadLink } from "../ui/download-link.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { useNow } from "../ui/use-now.ts";
import styles from "./hud.module.css";
import { useRoute } from "../use-route.ts";
import { signOf, wholeOf, type Whole } from "./shown-rows.ts";

const SPOKEN: Record<HudNode["state"], string> = {
  running: "running",
  done: "done",
  error: "failed",
};

export type RowsProps = {
  readonly nodes: readonly HudNode[];
  readonly isReplay: (node: HudNode) => boolean;
  readonly opened: ReadonlySet<string>;
  readonly selected: string | null;
  readonly stop: string | null; // the row that Tab reaches; arrows go on from there
  readonly onPress: (node: HudNode) => void;
};

export function HudRows(props: RowsProps) {
  const { nodes, isReplay, opened, selected, stop, onPress } = props;
  return (
    <ul className={styles.rows}>
      {nodes.map((node) => (
        <li key={node.id}>
          <HudRow
            node={node}
            replay={isReplay(node)}
            open={opened.has(node.id)}
            selected={selected === node.id}
            reachable={stop === node.id}
            onPress={onPress}
          />
          {node.children.length > 0 && <HudRows {...props} nodes={node.children} />}
        </li>
      ))}
    </ul>
  );
}

type RowProps = {
  readonly node: HudNode;
  readonly replay: boolean;
  readonly open: boolean;
  readonly selected: boolean;
  readonly reachable: boolean;
  readonly onPress: (node: HudNode) => void;
};

const HudRow = memo(function HudRow(props: RowProps) {
  const { node, replay, open, selected, reachable, onPress } = props;
  const past = useIsPast();
  const { icon, words } = signOf(node);
  const { id, state, type } = node;
  return (
    <>
      <button
        type="button"
        id={`hud-${id}`}
        className={styles.row}
        tabIndex={reachable ? 0 : -1}
        data-row
        data-type={type}
        data-status={state}
        data-replay={replay || undefined}
        data-pulse={(state === "running" && !past) || undefined}
        data-selected={selected || undefined}
        aria-current={selected || undefined}
        aria-expanded={open}
        title={exactTime(node.startedAt / 1_000)}
        onClick={() => onPress(node)}
      >
        <span className={styles.dot} aria-hidden="true" />
        <Icon name={icon} />
        <span className={styles.label}>{visibleLine(words)}</span>
        {type !== "received" && <span className="visually-hidden">, {SPOKEN[state]}</span>}
        <Took node={node} />
      </button>
      {open && <Opened node={node} />}
    </>
  );
});

function Took({ node }: { node: HudNode }) {
  if (node.type === "received") return null;
  if (node.state === "running") return <Running since={node.startedAt} />;
  if (node.durationMs === undefined) return null;
  return <span className={styles.took}>{duration(node.durationMs)}</span>;
}

function Running({ since }: { since: number }) {
  const { at, recording } = useSource();
  const now = useNow(1_000);
  const shown = at === null ? undefined : recording.at(at);
  const until = shown ? shown.created_at * 1_000 : now;
  return <span className={styles.took}>{elapsed(until - since)}</span>;
}

function Opened({ node: { args, argsFull, result, type, state } }: { node: HudNode }) {
  const none = args === undefined && result === undefined;
  return (
    <div className={styles.opened}>
      {args !== undefined && (
        <Json name={type === "received" ? "Payload" : "Arguments"} of={args} full={argsFull} />
      )}
      {result !== undefined && <Json name="Result" of={result} full={result["full"]} />}
      {none && (
        <p className="muted">{state === "running" ? "Nothing to show yet." : "No details."}</p>
      )}
    </div>
  );
}

function Json({ name, of, full }: { name: string; of: unknown; full: unknown }) {
  const text = visibleJson(of);
  const whole = wholeOf(full);
  return (
    <div className={styles.json} role="group" aria-label={name}>
      <div className={styles.jsonHead}>
        <strong className="small bold">{name}</strong>
        <CopyButton text={JSON.stringify(of, null, 2)} what={name.toLowerCase()} />
      </div>
      {/* Focusable, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>{text}</pre>
      {whole && (
        <p className="row flex-wrap gap-m m-0 p-tab line-above hint">
          <span>Only a part is shown here.</span> <WholeLink whole={whole} />
        </p>
      )}
    </div>
  );
}

/** Links to the full value of a truncated one: a file or an event. */
function WholeLink({ whole }: { whole: Whole }) {
  const { api } = useApp();
  const route = useRoute();
  if ("sha256" in whole) {
    const url = api.blobUrl(whole.sha256);
    if (url === "") return <span>The rest is not in this recording.</span>;
    return (
      <DownloadLink url={url} name={`${whole.sha256.slice(0, 12)}.txt`}>
        Download all {bytes(whole.bytes)}
      </DownloadLink>
    );
  }
  if (route.page !== "session") return null;
  const { runId, seq } = whole;
  return <Link to={{ ...route, view: "events", runId, seq }}>Show all {bytes(whole.bytes)}</Link>;
}
