// Who fetches skills for `serve` from elsewhere, in processes of their own.
import type { Config } from "../../config.ts";
import { skillSources } from "./runner/sources.ts";

export function skillSourcesOf({ home, sandbox, allow_private_hosts }: Config) {
  return skillSources({ home, sandbox, allowPrivateHosts: allow_private_hosts });
}
