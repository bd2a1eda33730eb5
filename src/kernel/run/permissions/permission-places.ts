// Hosts and the person's home as rules know them; paths are in kernel/workspace/listing/path-patterns.ts, because the
// tool host leaves out by them too.
import { homedir } from "node:os";
import type { Rule } from "../../events/catalogue/permissions.ts";
import { own } from "../../events/own.ts";
import { workspacePlace, type Volumes } from "../../events/workspace-place.ts";

/** `~/…` in a rule is the home of whoever runs the runner. */
export function expandHome(rule: Rule): Rule {
  if (rule.path !== "~" && !rule.path?.startsWith("~/")) return rule;
  return { ...rule, path: homedir() + rule.path.slice(1) };
}

/** `volume:/…` in a rule is wherever this machine has the volume. One it has not is out of its reach anyway. */
export function expandVolume(rule: Rule, volumes: Volumes): Rule {
  const { volume, path } = workspacePlace(rule.path ?? "");
  const root = own(volumes, volume);
  if (root === undefined) return rule;
  return { ...rule, path: root === "/" ? path : root + path };
}

/** The host of an address, in the one way it is spelled. Undefined: it has none. */
export function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname.replace(/\.$/, "");
  return host === "" ? undefined : host;
}

/** `*.example.org` is every host below example.org, and not itself. */
export function hostMatches(pattern: string, host: string): boolean {
  const below = pattern.startsWith("*.");
  const wanted = hostOf(`http://${below ? pattern.slice(2) : pattern}`);
  if (wanted === undefined) return false;
  return below ? host.endsWith(`.${wanted}`) : host === wanted;
}
