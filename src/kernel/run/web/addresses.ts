// Which addresses a network tool may connect to: the public internet. Everything else (this machine,
// its networks, metadata services, ways to spell those in IPv6) is refused unless a person named it.
import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

// Everything IANA calls special, so that what is not on the list can be routed to somebody else.
const SPECIAL_V4 = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier-grade NAT, and some clouds' metadata
  "127.0.0.0/8",
  "169.254.0.0/16", // link-local, metadata
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];
// Of IPv6 only global unicast is public: mapped and NAT64 addresses, ::1, fc00::/7, fe80::/10 and
// ff00::/8 all lie outside. Inside of it, these are tunnels to IPv4 or belong to nobody.
const GLOBAL_V6 = ["2000::/3"];
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const specialV4 = listOf(SPECIAL_V4);
const globalV6 = listOf(GLOBAL_V6);
const specialV6 = listOf(SPECIAL_V6);

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = "", prefix] = subnet.split("/");
    list.addSubnet(net, Number(prefix), isIPv6(net) ? "ipv6" : "ipv4");
  }
  return list;
}

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialV4.check(address, "ipv4") && !isOwn(address);
    case 6:
      if (address.includes("%")) return false; // with a zone it is of a link of ours
      return (
        globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6") && !isOwn(address)
      );
    default:
      return false;
  }
}

/** An address of this machine, however public: its services trust who comes from here. */
function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => own.address === canonicalHost(address)),
  );
}

/** The host of a URL as people write it: no brackets, no final dot, lower case. */
export function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

/** One spelling per host: other notations of an address, and names in other scripts, are resolved. */
export function canonicalHost(host: string): string {
  const plain = plainHost(host);
  const url = URL.parse(isIPv6(plain) ? `http://[${plain}]` : `http://${plain}`);
  return url ? plainHost(url.hostname) : plain;
}
