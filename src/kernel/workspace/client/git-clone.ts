// Fetches the newest state of a git repository into an empty folder, in a tool host with network access. The address
// is checked like those of network tools, and git connects to the checked address. Nothing of the repository runs: no
// hooks, submodules or filters, and no settings of this machine.
import { isIPv6 } from "node:net";
import type { ToolHost } from "./tool-host/client.ts";
import { canonicalHost, plainHost } from "../../run/web/addresses.ts";
import { createResolver, type Address } from "../../run/web/resolve-host.ts";

export type GitSource = { readonly url: string; readonly ref?: string | undefined };
export class CloneRefused extends Error {
  override name = "CloneRefused";
}

const MAX_FILE_BLOCKS = 65_536; // of 512 bytes: a pack of 32 MiB
const REF = /^(?!-)(?!.*\.\.)[\w./+-]{1,200}$/;
/** Limits first: what git writes is bounded, whatever the other side sends. */
const LIMITED = `ulimit -f ${MAX_FILE_BLOCKS}; exec git "$@"`;
const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  GIT_LFS_SKIP_SMUDGE: "1",
};

export async function gitClone(
  source: GitSource,
  {
    host,
    into,
    allowed,
    signal,
  }: {
    host: ToolHost;
    into: string;
    /** Hosts a person allowed although they are private; with them also plain http. */
    allowed: readonly string[];
    signal: AbortSignal;
  },
): Promise<void> {
  const url = checkedUrl(source, allowed);
  const addresses = await createResolver({ allowPrivateHosts: allowed })(url.hostname);
  const args = ["-c", LIMITED, "sh", ...settings(url, addresses), ...clone(source, url, into)];
  const pipe = await host.open({
    command: "/bin/sh",
    args,
    env: ENVIRONMENT,
    marker: "skill",
    signal,
  });
  const stop = () => void pipe.kill();
  signal.addEventListener("abort", stop, { once: true });
  const exit = await new Promise<{ exit_code: number | null; stderr: string }>((resolve) => {
    pipe.onData(() => undefined);
    pipe.onExit(resolve);
  });
  signal.removeEventListener("abort", stop);
  if (signal.aborted) throw new CloneRefused("It took too long, or nobody waits for it any more.");
  if (exit.exit_code === 0) return;
  const said = exit.stderr.trim().split("\n").at(-1) ?? "";
  throw new CloneRefused(`git could not fetch it: ${said.slice(0, 300) || "it was stopped"}`);
}

function checkedUrl({ url: given, ref }: GitSource, allowed: readonly string[]): URL {
  const url = URL.parse(given);
  if (!url || !/^https?:\/\//i.test(given))
    throw new CloneRefused("Only https addresses are fetched.");
  const isAllowed = allowed.map(canonicalHost).includes(canonicalHost(url.hostname));
  if (url.protocol !== "https:" && !isAllowed) {
    throw new CloneRefused("Only https addresses are fetched.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new CloneRefused("An address with a name or password in it is not fetched.");
  }
  if (ref !== undefined && !REF.test(ref)) throw new CloneRefused("That is no branch or tag.");
  return url;
}

function settings(url: URL, addresses: readonly Address[]): string[] {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const listed = addresses.map(({ address }) => (isIPv6(address) ? `[${address}]` : address));
  const pinned = `${plainHost(url.hostname)}:${port}:${listed.join(",")}`;
  const given = {
    "http.curloptResolve": pinned, // an answer that changes later changes nothing
    "http.followRedirects": "false", // it would lead to an address nobody checked
    "http.proxy": "",
    "protocol.allow": "never",
    [`protocol.${url.protocol.slice(0, -1)}.allow`]: "always",
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "credential.helper": "",
    "submodule.recurse": "false",
    "transfer.fsckObjects": "true",
  };
  return Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function clone({ ref }: GitSource, url: URL, into: string): string[] {
  const which = ref === undefined ? [] : ["--branch", ref];
  const how = ["--depth", "1", "--single-branch", "--no-tags", "--no-recurse-submodules"];
  return ["clone", "--quiet", "--template=", ...how, ...which, "--", url.href, into];
}
