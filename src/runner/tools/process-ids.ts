// A background process's id says which of a workspace's tool hosts has it, so that it is found there
// again by nothing but the journal.
import { randomUUID } from "node:crypto";

const WITH_NETWORK = "pn_";

export function newProcessId({ network }: { network: boolean }): string {
  return `${network ? WITH_NETWORK : "p_"}${randomUUID().slice(0, 8)}`;
}

export function hasNetwork(processId: string): boolean {
  return processId.startsWith(WITH_NETWORK);
}
