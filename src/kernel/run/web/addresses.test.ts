import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import fc from "fast-check";
import { isPublicAddress } from "./addresses.ts";
import { AddressRefused, createResolver, HostNotFound } from "./resolve-host.ts";

const REFUSED = `
  0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
  192.0.0.8 192.168.0.1 198.18.0.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
  :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1
  2001:db8::1 2002:7f00:1:: fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 2606:4700::1%eth0 fec0::1 ff02::1
`.match(/\S+/g) as string[];
const PUBLIC = ["8.8.8.8", "1.1.1.1", "100.63.255.255", "172.32.0.1", "2606:4700::1111"];

test("[S] private, link-local, metadata, multicast and embedded addresses are not public", () => {
  for (const address of REFUSED) assert.ok(!isPublicAddress(address), address);
  for (const address of PUBLIC) assert.ok(isPublicAddress(address), address);
  for (const text of ["", "localhost", "1.2.3", "8.8.8.8.8", "[::1]"])
    assert.ok(!isPublicAddress(text), text);
});

test("[S] an address of this machine is not public, however public it is", () => {
  for (const own of Object.values(networkInterfaces()).flat())
    assert.ok(!isPublicAddress(own?.address ?? ""), own?.address);
});

test("[S] no IPv4 address becomes public by being written inside an IPv6 one", () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "::", "64:ff9b::"), (address, prefix) => {
      assert.ok(!isPublicAddress(prefix + address));
    }),
  );
});

const resolver = (allowPrivateHosts: string[], answers: Record<string, string[]> = {}) =>
  createResolver({
    allowPrivateHosts,
    lookup: async (name) =>
      (answers[name] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  });

test("[S] decimal, octal and hexadecimal spellings are the address they mean", async () => {
  const spellings = [
    "2130706433",
    "0177.0.0.1",
    "0x7f.1",
    "0x7f000001",
    "127.1",
    "[::ffff:7f00:1]",
  ];
  for (const host of spellings) {
    const { hostname } = new URL(`http://${host}/`);
    await assert.rejects(resolver([])(hostname), AddressRefused, host);
  }
});

test("[S] one private address among public ones refuses the name", async () => {
  const answers = {
    "mixed.test": ["8.8.8.8", "10.0.0.1"],
    "good.test": ["8.8.8.8", "2606:4700::1"],
  };
  await assert.rejects(resolver([], answers)("mixed.test"), AddressRefused);
  assert.equal((await resolver([], answers)("good.test")).length, 2);
  await assert.rejects(resolver([], answers)("unknown.test"), HostNotFound);
});

test("[S] what a person allows is allowed by name or by address, and nothing beside it", async () => {
  const answers = { "nas.test": ["192.168.1.2"], "other.test": ["192.168.1.2", "10.0.0.1"] };
  const byName = resolver(["NAS.test"], answers);
  assert.deepEqual(await byName("nas.test."), [{ address: "192.168.1.2", family: 4 }]);
  await assert.rejects(byName("192.168.1.2"), AddressRefused);
  const byAddress = resolver(["0xc0a80102", "0:0::1"], answers);
  assert.equal((await byAddress("nas.test")).length, 1);
  assert.equal((await byAddress("[::1]")).length, 1);
  await assert.rejects(byAddress("other.test"), AddressRefused);
});
