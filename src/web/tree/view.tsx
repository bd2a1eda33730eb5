// The run as a tree of plan steps, turns, messages, calls and subagents. The selection is shared with all
// views.
import { useMemo, useState } from "react";
import { runChoices } from "../session/runs/choices.ts";
import { RunSelect } from "../session/runs/select.tsx";
import { useAction } from "../keys/actions.ts";
import { useShownRun } from "../session/shown-run.ts";
import { useSession } from "../session/use-session.ts";
import { plural } from "../text/format.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { useMedia } from "../ui/use-media.ts";
import { adjust } from "../use-route.ts";
import { DetailsBody, TreeDetails } from "./details.tsx";
import { factsOf } from "./labels.ts";
import type { TreeNode } from "./node.ts";
import { TreeRows } from "./rows-view.tsx";
import styles from "./tree.module.css";
import { useTree, type TreeHandle } from "./use-tree.ts";

export function TreeView() {
  const runId = useShownRun();
  const [markedOnly, setMarkedOnly] = useState(false);
  const tree = useTree(runId, markedOnly);
  const { root, selected } = tree;
  if (!root) return <p className={styles.empty}>No run yet. What the agent does appears here.</p>;
  return (
    <div className={styles.view}>
      <Bar tree={tree} root={root} markedOnly={markedOnly} onMarkedOnly={setMarkedOnly} />
      <div className={styles.parts}>
        <TreeRows key={root.runId} tree={tree} />
        {selected && <Selected key={selected.key} node={selected} tree={tree} />}
      </div>
    </div>
  );
}

/** Beside or below the tree; without room, one line and a sheet. */
function Selected({ node, tree }: { node: TreeNode; tree: TreeHandle }) {
  const [open, setOpen] = useState(false);
  const { label } = factsOf(node);
  const narrow = useMedia("(width <= 720px)");
  if (!narrow) return <TreeDetails node={node} onClose={() => tree.choose(null)} />;
  return (
    <div className={styles.strip}>
      <span>{label}</span>
      <Button onClick={() => setOpen(true)}>Details</Button>
      <IconButton icon="close" label="Nothing selected" onClick={() => tree.choose(null)} />
      {open && (
        <Sheet title={label} onClose={() => setOpen(false)}>
          <DetailsBody node={node} />
        </Sheet>
      )}
    </div>
  );
}

type BarProps = {
  tree: TreeHandle;
  root: TreeNode;
  markedOnly: boolean;
  onMarkedOnly: (only: boolean) => void;
};

function Bar({ tree, root, markedOnly, onMarkedOnly }: BarProps) {
  const session = useSession((view) => view.session);
  const runs = useSession((view) => view.runs);
  const choices = useMemo(() => runChoices({ session, runs }), [session, runs]);
  const toggle = () => onMarkedOnly(!markedOnly);
  useAction({
    id: "tree.expand",
    title: "Expand the whole tree",
    section: "View",
    keys: ["shift+arrowright"],
    run: () => tree.foldAll(true),
  });
  useAction({
    id: "tree.collapse",
    title: "Collapse the whole tree",
    section: "View",
    keys: ["shift+arrowleft"],
    run: () => tree.foldAll(false),
  });
  useAction({
    id: "tree.marked",
    title: markedOnly ? "Show the whole tree" : "Show only problems and what waits",
    section: "View",
    run: toggle,
  });
  return (
    <div className={styles.bar}>
      {choices.length > 1 && (
        <RunSelect
          label="Run"
          choices={choices}
          value={root.runId}
          onChange={(runId) => adjust({ runId, seq: undefined })}
        />
      )}
      <Button
        tone={markedOnly ? "primary" : "quiet"}
        icon="alert"
        aria-pressed={markedOnly}
        onClick={toggle}
      >
        Problems and waiting
        {root.marked > 0 && <span>({root.marked})</span>}
      </Button>
      <Button tone="quiet" onClick={() => tree.foldAll(true)}>
        Expand all
      </Button>
      <Button tone="quiet" onClick={() => tree.foldAll(false)}>
        Collapse all
      </Button>
      <span className="visually-hidden" role="status" aria-label="Tree">
        {markedOnly && plural(root.marked, "part needs a look", "parts need a look")}
      </span>
    </div>
  );
}
