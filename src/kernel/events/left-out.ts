// What a shared file has instead of what is private in an event.

export const LEFT_OUT = "[left out]";
export const RUNNER = "runner";

/** Where a workspace lies on somebody's disk is their own affair; what it is called tells runs apart. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? "workspace";
}

export function withoutPlanFolder<Payload extends { plan: { workspace: string } }>(
  payload: Payload,
): Payload {
  const { plan } = payload;
  return { ...payload, plan: { ...plan, workspace: folderName(plan.workspace) } };
}
