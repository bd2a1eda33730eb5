// A background process's id says which of a workspace's tool hosts has it and what that may do, so that it is
// found there again by nothing but the journal.
import { createHash, randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { fileId } from "../../workspace/host/workspace.ts";
import type { HostGrants } from "./tool.ts";

const ID = /^p(n?)(w?)_([0-9a-f]{6})?/;

/**
 * The same for grants that are the same, in any process. What is hidden counts as it is now: a host cannot hide a file
 * that was made or replaced after it started.
 */
export function hostTag({
  network = false,
  protected: changes = false,
  hidden = [],
}: HostGrants): string {
  const grants = JSON.stringify([
    network,
    changes,
    hidden.toSorted().map((path) => [path, idOf(path)]),
  ]);
  return createHash("sha256").update(grants).digest("hex").slice(0, 6);
}

function idOf(path: string): string | undefined {
  try {
    return fileId(statSync(path, { bigint: true }));
  } catch {
    return undefined; // not there
  }
}

export function newProcessId(grants: HostGrants): string {
  const rights = `${grants.network === true ? "n" : ""}${grants.protected === true ? "w" : ""}`;
  return `p${rights}_${grants.tag ?? hostTag(grants)}${randomUUID().slice(0, 8)}`;
}

export function hasNetwork(processId: string): boolean {
  return ID.exec(processId)?.[1] === "n";
}

export function changesProtected(processId: string): boolean {
  return ID.exec(processId)?.[2] === "w";
}

/** For the host that has the process, whatever rules hide by now. */
export function grantsOfProcess(processId: string): HostGrants {
  return {
    network: hasNetwork(processId),
    protected: changesProtected(processId),
    tag: ID.exec(processId)?.[3] ?? "",
  };
}

/** One process of each host that has some of them. */
export function onePerHost<Process extends { readonly processId: string }>(
  processes: readonly Process[],
): Process[] {
  const hosts = new Map(
    processes.map((one) => [JSON.stringify(grantsOfProcess(one.processId)), one]),
  );
  return [...hosts.values()];
}
