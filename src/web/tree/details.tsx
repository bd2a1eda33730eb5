// Details of the selected node: input, output, times, events; a request can be answered here.
import type { ReactNode } from "react";
import { CompareButton } from "../../features/compare/web/button.tsx";
import type { BoundedText } from "../../kernel/events/catalogue/tools.ts";
import type { Item, ToolItem } from "../../kernel/state/run/items.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { sessionSeqOf } from "../events/find-event.ts";
import { JsonBlock, TextBlock } from "../events/json-block.tsx";
import { RequestCard } from "../requests/request-card.tsx";
import { useSource } from "../session/use-session.ts";
import { bytes, dollars, duration, exactTime, plural } from "../text/format.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { adjust } from "../use-route.ts";
import { factsOf } from "./labels.ts";
import type { NodeSource, TreeNode } from "./node.ts";
import styles from "./tree.module.css";

export function TreeDetails({ node, onClose }: { node: TreeNode; onClose: () => void }) {
  const { label } = factsOf(node);
  return (
    <section className={styles.details} aria-label="Details of the selection">
      <header className={styles.detailsHead}>
        <h2 title={label}>{label}</h2>
        <IconButton icon="close" label="Close details" onClick={onClose} />
      </header>
      <div className={styles.detailsBody}>
        <DetailsBody node={node} />
      </div>
    </section>
  );
}

export function DetailsBody({ node }: { node: TreeNode }) {
  const { source } = node;
  const { tone, state, going, note } = factsOf(node);
  const body = BODY[source.kind] as (source: NodeSource, node: TreeNode) => ReactNode;
  return (
    <div className="stack gap-l min-w-0">
      <p className="row flex-wrap gap-m hint">
        <Badge tone={tone} status={state} dot={going}>
          {state}
        </Badge>
        {note !== null && note !== "" && <span>{note}</span>}
      </p>
      <Actions node={node} />
      <Facts node={node} />
      {body(source, node)}
    </div>
  );
}

function Actions({ node }: { node: TreeNode }) {
  const { runId, seq } = node;
  const { recording } = useSource();
  if (seq === null) return null;
  const scrub = () => {
    const at = sessionSeqOf(recording, { runId, seq });
    if (at !== null) adjust({ at: at >= recording.length ? undefined : at });
  };
  return (
    <div className={styles.actions}>
      <Button icon="thought" onClick={() => adjust({ view: "chat" })}>
        Open in chat
      </Button>
      <Button icon="list" onClick={() => adjust({ view: "events" })}>
        Raw events
      </Button>
      <Button icon="clock" onClick={scrub}>
        Move the scrubber here
      </Button>
      {node.source.kind === "run" && <CompareButton runId={runId} />}
    </div>
  );
}

function Facts({ node }: { node: TreeNode }) {
  const { runId, seq } = node;
  const { startedAt, durationMs } = factsOf(node);
  return (
    <dl className={styles.facts}>
      {startedAt !== null && <Fact name="Began">{exactTime(startedAt)}</Fact>}
      {durationMs !== null && <Fact name="Took">{duration(durationMs)}</Fact>}
      {seq !== null && (
        <Fact name="Event">
          {seq} of <code>{visibleLine(runId)}</code>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type Bodies = {
  readonly [Kind in NodeSource["kind"]]: (
    source: Extract<NodeSource, { kind: Kind }>,
    node: TreeNode,
  ) => ReactNode;
};

const BODY: Bodies = {
  run: ({ run }) => (
    <>
      <dl className={styles.facts}>
        <Fact name="Model">{visibleLine(run.model) || "not begun"}</Fact>
        <Fact name="Workspace">
          <code>{visibleLine(run.workspace)}</code>
        </Fact>
        {run.usage.total_tokens !== null && (
          <Fact name="Tokens">{run.usage.total_tokens.toLocaleString("en")}</Fact>
        )}
        {run.usage.cost_usd !== null && <Fact name="Cost">{dollars(run.usage.cost_usd)}</Fact>}
      </dl>
      {run.error && <p className={styles.problem}>{visibleText(run.error.message)}</p>}
      {run.result !== null && <TextBlock name="Result" text={visibleText(run.result)} />}
    </>
  ),
  step: ({ step }) => (
    <dl className={styles.facts}>
      {step.fallbacks > 0 && (
        <Fact name="Tried again">
          {plural(step.fallbacks, "other approach", "other approaches")}
        </Fact>
      )}
    </dl>
  ),
  pending: () => null,
  turn: ({ turn }) => (
    <>
      <dl className={styles.facts}>
        <Fact name="Model">{visibleLine(turn.model)}</Fact>
        {turn.attempt > 1 && <Fact name="Attempt">{turn.attempt}</Fact>}
        {turn.tokens !== null && <Fact name="Tokens">{turn.tokens.toLocaleString("en")}</Fact>}
        {turn.costUsd !== null && <Fact name="Cost">{dollars(turn.costUsd)}</Fact>}
      </dl>
      {turn.why !== null && <p className={styles.problem}>{visibleText(turn.why)}</p>}
    </>
  ),
  item: ({ item }, { runId }) => <ItemBody item={item} runId={runId} />,
};

function ItemBody({ item, runId }: { item: Item; runId: string }) {
  if (item.kind === "tool") return <ToolBody item={item} runId={runId} />;
  return (
    <>
      {item.kind === "notice" && item.request && (
        <RequestCard request={item.request} runId={runId} tool={null} />
      )}
      {item.text !== "" && <TextBlock name="Text" text={visibleText(item.text)} />}
      {item.kind === "notice" && item.detail !== null && (
        <TextBlock name="Summary" text={visibleText(item.detail)} />
      )}
    </>
  );
}

function ToolBody({ item, runId }: { item: ToolItem; runId: string }) {
  return (
    <>
      {item.request && <RequestCard request={item.request} runId={runId} tool={item} />}
      {item.error && <p className={styles.problem}>{visibleText(item.error.message)}</p>}
      <JsonBlock name={`Arguments of ${item.name}`} value={item.plan.arguments} />
      {item.live !== "" && <TextBlock name="Output so far" text={visibleText(item.live)} />}
      {item.output && item.output.bytes > 0 && (
        <TextBlock name={outputName(item.output)} text={visibleText(wholeOf(item.output))} />
      )}
      {item.result !== null && <JsonBlock name="Result" value={item.result} />}
    </>
  );
}

function outputName({ truncated, bytes: count }: BoundedText): string {
  return truncated ? `Output (beginning and end of ${bytes(count)})` : "Output";
}

function wholeOf({ head, tail }: BoundedText): string {
  return tail === "" ? head : `${head}\n…\n${tail}`;
}
