// Reaching a budget asks a person. The question is a clarification like any other; its id says that
// the answer "continue" grants the same budget once more.
const PREFIX = "bu_";
export const BUDGET_CONTINUE = "continue";
export const BUDGET_STOP = "stop";

export function budgetRequestId(runId: string, raises: number): string {
  return `${PREFIX}${runId}_${raises + 1}`;
}

export function isBudgetRequest(requestId: string): boolean {
  return requestId.startsWith(PREFIX);
}
