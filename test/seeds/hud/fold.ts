// Frames of the document, folded, and what somebody has who got some of ours.
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  type HudNode,
  type HudState,
} from "../../../src/windows/hud/state/hud-state.ts";
import type { Fields, HudFrame } from "./world.ts";

let made = 0;
export const frame = (event: string, more: Fields = {}) => {
  made += 1;
  return { type: "hud", event, id: `id-${made}`, ts: 1_741_995_000_000 + made, ...more };
};
export const start = (tool: string, more: Fields = {}) =>
  frame("tool_start", { tool, args: {}, ...more });
export const end = (tool: string, n: number, more: Fields = {}) =>
  frame("tool_end", { tool, result: { ok: true, n }, durationMs: 1, ...more });
export const fold = (...frames: readonly object[]): HudState =>
  frames.reduce(applyHudFrame, emptyHud());
export const tree = (...frames: readonly object[]): readonly HudNode[] => hudTree(fold(...frames));
export const results = (nodes: readonly HudNode[]) => nodes.map(({ result }) => result?.["n"]);

/** The nodes of somebody who has these frames, without what differs by connection. */
export function outline(frames: readonly HudFrame[]): unknown {
  const plain = (nodes: readonly HudNode[]): unknown =>
    nodes
      .filter(({ subtype }) => subtype !== "reconnect")
      .map(({ replay: _replay, children, ...node }) => ({ ...node, children: plain(children) }));
  return plain(hudTree(frames.reduce(applyHudFrame, emptyHud())));
}
export const unflagged = (frames: readonly HudFrame[]) =>
  frames
    .filter(({ subtype }) => subtype !== "reconnect")
    .map(({ replay: _replay, ...rest }) => rest);
