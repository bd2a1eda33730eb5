// From a name to the addresses one may connect to. The name is looked up once and all its addresses
// are checked: whoever connects uses these, so an answer that changes later changes nothing (S).
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { canonicalHost, isPublicAddress, plainHost } from "./addresses.ts";

export type Address = { readonly address: string; readonly family: number };
export type Lookup = (hostname: string) => Promise<readonly Address[]>;

export type AddressPolicy = {
  /** Names or addresses a person allows although they are not public. */
  readonly allowPrivateHosts: readonly string[];
  readonly lookup?: Lookup;
};

export class AddressRefused extends Error {
  override name = "AddressRefused";
}
export class HostNotFound extends Error {
  override name = "HostNotFound";
}

/** Asks at most once per name: every request of one call uses the same answer. */
export type Resolver = (hostname: string) => Promise<readonly Address[]>;

export function createResolver(policy: AddressPolicy): Resolver {
  const answers = new Map<string, Promise<readonly Address[]>>();
  return (hostname) => {
    const host = plainHost(hostname);
    let answer = answers.get(host);
    if (!answer) answers.set(host, (answer = checkedAddresses(host, policy)));
    return answer;
  };
}

async function checkedAddresses(host: string, policy: AddressPolicy): Promise<readonly Address[]> {
  const allowed = new Set(policy.allowPrivateHosts.map(canonicalHost));
  const addresses = await addressesOf(host, policy.lookup ?? lookupAll);
  if (allowed.has(host)) return addresses;
  // One private address among public ones is refused too: which one is used is not ours to choose.
  const refused = addresses.find(
    ({ address }) => !allowed.has(address) && !isPublicAddress(address),
  );
  if (!refused) return addresses;
  const what = refused.address === host ? host : `${host} (${refused.address})`;
  throw new AddressRefused(
    `${what} is not on the public internet. A person can allow it with allow_private_hosts.`,
  );
}

async function addressesOf(host: string, lookup: Lookup): Promise<readonly Address[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  let addresses: readonly Address[];
  try {
    addresses = await lookup(host);
  } catch (error) {
    throw new HostNotFound(`${host} was not found.`, { cause: error });
  }
  if (addresses.length === 0) throw new HostNotFound(`${host} has no address.`);
  return addresses;
}

function lookupAll(hostname: string): Promise<readonly Address[]> {
  return systemLookup(hostname, { all: true, verbatim: true });
}
