// The session as the HUD protocol shows it, with the event each node began with, so that rows can be selected.
import type { Fold } from "../../kernel/client/recording.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import type { OpenNodes } from "../../windows/hud/wire/open-nodes.ts";
import { hudDialect } from "../../windows/hud/wire/hud.ts";
import { EMPTY_INDEX, enter, lookUp, type Index } from "../../windows/hud/state/index.ts";
import {
  applyHudFrame,
  emptyHud,
  type HudNode,
  type HudState,
} from "../../windows/hud/state/hud-state.ts";
import { emptyVector, get, push, type Vector } from "../../kernel/state/vector.ts";

/** The event a node began with. */
export type Origin = {
  readonly runId: string;
  readonly seq: number;
  readonly sessionSeq: number;
};
/** Immutable: changes only when a frame is emitted. */
export type HudFeed = {
  readonly hud: HudState;
  readonly origins: Vector<Origin>; // one for each node, in their order
  readonly places: Index; // of a node's origin, by its id
};
type HudFold = { readonly nodes: OpenNodes; readonly feed: HudFeed };

const EMPTY_FEED: HudFeed = { hud: emptyHud(), origins: emptyVector(), places: EMPTY_INDEX };
// Whether a row is replay depends on the window, so rows decide it by their origin.
const EMITTING = { replay: false } as const;

export const hudFold: Fold<HudFold> = {
  empty: () => ({ nodes: hudDialect.begin(), feed: EMPTY_FEED }),
  apply: ({ nodes, feed }, events) => {
    let emitted = feed;
    for (const event of events) {
      for (const frame of encode(hudDialect, event, nodes, EMITTING)) {
        const { run_id: runId, seq, session_seq: sessionSeq } = event;
        emitted = take(emitted, frame, { runId, seq, sessionSeq });
      }
    }
    return { nodes, feed: emitted };
  },
  copy: ({ nodes, feed }) => ({ nodes: structuredClone(nodes), feed }), // the dialect changes its nodes in place
};

function take(feed: HudFeed, frame: { readonly id: string }, origin: Origin): HudFeed {
  const hud = applyHudFrame(feed.hud, frame);
  if (hud.entries.length === feed.hud.entries.length) return { ...feed, hud };
  const place = hud.entries.length - 1;
  const id = get(hud.entries, place)?.node.id ?? frame.id;
  const places = enter(feed.places, id, place);
  return { hud, origins: push(feed.origins, origin), places };
}

export function originOf({ origins, places }: HudFeed, { id }: HudNode): Origin | undefined {
  const place = lookUp(places, id);
  return place === undefined ? undefined : get(origins, place);
}
