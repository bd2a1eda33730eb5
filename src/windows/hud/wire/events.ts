// The frames of the HUD window, as its document has them. What we add beside it is optional and says so:
// its clients ignore what they do not know.

export type HudEventKind =
  | "tool_start"
  | "tool_end"
  | "think_start"
  | "think_end"
  | "turn_start"
  | "turn_end"
  | "received";

export type FileArea = {
  readonly startLine: number; // from 1; 0 to 0: no lines at all, of a call that failed
  readonly endLine: number; // inclusive
};
export type FileMeta = {
  readonly path: string; // as passed to the tool
  readonly viewerPath: string; // without the workspace before it
  readonly area?: FileArea;
};
/** Where the whole of something is that a frame shows in part. Not in the document. */
export type FullText = {
  readonly bytes: number;
  readonly href: string;
  readonly sha256?: string; // of a blob
  readonly eventId?: string; // of the event that has it: the first one that `href` streams
};

export type HudRecord = Readonly<Record<string, unknown>>;

type Base = {
  readonly type: "hud";
  readonly id: string;
  readonly parentId?: string;
  readonly ts: number; // unix ms
  readonly replay?: true;
};
type Paired = Base & { readonly correlationId: string };

export type TurnStart = Paired & {
  readonly event: "turn_start";
  readonly label?: string; // of a subagent: what it was asked to do
};
export type TurnEnd = Paired & {
  readonly event: "turn_end";
  readonly result: { readonly ok: boolean; readonly status: string; readonly error?: string };
  readonly durationMs: number;
};
export type ThinkStart = Paired & { readonly event: "think_start" };
export type ThinkEnd = Paired & {
  readonly event: "think_end";
  readonly text?: string; // absent: hidden, or cut before it was whole
  readonly bytes?: number;
  readonly truncated?: true;
  readonly superseded?: true; // cut: it is thought again
  readonly full?: FullText;
  readonly durationMs: number;
};
export type ToolStart = Paired & {
  readonly event: "tool_start";
  readonly tool: string;
  readonly args: HudRecord;
  readonly argsTruncated?: true;
  readonly argsFull?: FullText;
};
export type ToolEnd = Paired & {
  readonly event: "tool_end";
  readonly tool: string;
  readonly result: HudRecord & { readonly ok: boolean };
  readonly durationMs: number;
};
export type HudReceived = Base & {
  readonly event: "received";
  /** The document's seven, or one of our own: a client shows `label` whatever it is. */
  readonly subtype: string;
  readonly label: string;
  readonly payload?: HudRecord;
};
export type HudEvent =
  | TurnStart
  | TurnEnd
  | ThinkStart
  | ThinkEnd
  | ToolStart
  | ToolEnd
  | HudReceived;
