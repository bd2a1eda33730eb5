// What the execution tree is made of, exactly as the daemon's dashboard knows it.

export type NodeType =
  | "session"
  | "request"
  | "plan"
  | "step"
  | "replan"
  | "turn"
  | "tool"
  | "subagent"
  | "text"
  | "thinking";
export type NodeStatus = "pending" | "running" | "completed" | "failed" | "paused" | "cancelled";

/** A node without what is below it. Times are unix milliseconds. */
export type NodeFacts = {
  readonly id: string;
  readonly type: NodeType;
  readonly status: NodeStatus;
  readonly label: string;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly duration?: number;
  readonly parallel?: boolean;
  readonly awaitingInput?: boolean;
  readonly inputPrompt?: string;
  readonly permissionRequestId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly error?: string;
};
export type ExecutionNode = NodeFacts & { readonly children: readonly ExecutionNode[] };

type TreeStats = {
  readonly totalTools: number;
  readonly completedTools: number;
  readonly failedTools: number;
  readonly totalTurns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

export type PendingPermission = {
  readonly tool: string;
  readonly description: string;
  readonly requestId: string;
  readonly requestedAt: number;
};

/** Where the fold stands, beside the nodes. */
export type TreePosition = {
  readonly sessionId: string;
  readonly activeNodeId: string | null;
  readonly lastEventId: number;
  readonly nextSyntheticId: number;
  readonly currentThinkingId: string | null;
  readonly thinkingSealed: boolean;
  readonly currentTextId: string | null;
  readonly textIsOpen: boolean;
  /** Asked before its call is known. */
  readonly pendingPermissionsByToolUseId: Readonly<Record<string, PendingPermission>>;
  readonly stats: TreeStats;
};
export type ExecutionTree = TreePosition & { readonly rootNodes: readonly ExecutionNode[] };
