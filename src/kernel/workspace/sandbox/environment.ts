// The environment of the tool host and of the commands it starts is an allow-list:
// tokens and provider keys in the runner's own environment must never reach a command.
import { delimiter, join } from "node:path";

const ALLOWED = new Set(["PATH", "HOME", "LANG", "TERM", "TZ", "TMPDIR", "USER", "SHELL"]);

/** What a recovering runner looks for: the call belongs to this run. */
export const RUN_MARK = "QUARTERDECK_RUN";
/** Started by this tool host process: swept when the host ends. */
export const HOST_MARK = "QUARTERDECK_TOOL_HOST";
/** Started by this one call: swept when the call is aborted or times out. */
export const CALL_MARK = "QUARTERDECK_CALL";

/** On the sandbox and the host itself, so that a runner can see that they are gone; not on commands. */
export const SANDBOX_MARK = "QUARTERDECK_SANDBOX";

/** On the host: the directory in which package managers of its commands keep what they fetched. */
export const CACHE_PLACE = "QUARTERDECK_CACHE";

export function allowedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (ALLOWED.has(name) || name.startsWith("LC_"))) allowed[name] = value;
  }
  if (allowed["PATH"] !== undefined) allowed["PATH"] = withoutPackages(allowed["PATH"]);
  return allowed;
}

/** What npm puts before the search path: programs of the folder it was started in and of all above it. */
const OF_PACKAGES = /[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/;

function withoutPackages(searchPath: string): string {
  const kept = searchPath.split(delimiter).filter((entry) => !OF_PACKAGES.test(entry));
  return kept.join(delimiter);
}

/** Settings that no repository can take back: a folder that looks like one is none, and it watches no files. */
const GIT_SETTINGS = [
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
] as const;

/** Where package managers keep what they fetched, below the directory of the workspace. */
const CACHES: Readonly<Record<string, string>> = {
  npm_config_cache: "npm",
  npm_config_store_dir: "pnpm",
  YARN_CACHE_FOLDER: "yarn",
  YARN_GLOBAL_FOLDER: "yarn-global",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  CARGO_HOME: "cargo",
  GOPATH: "go",
  GOMODCACHE: "go/pkg/mod",
  GOCACHE: "go-build",
};

/** Of a command, before its own variables and marks. */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const env = allowedEnvironment(environment);
  env["GIT_CONFIG_COUNT"] = String(GIT_SETTINGS.length);
  GIT_SETTINGS.forEach(([name, value], at) => {
    env[`GIT_CONFIG_KEY_${at}`] = name;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  });
  const cache = environment[CACHE_PLACE];
  if (cache === undefined) return env;
  for (const [name, folder] of Object.entries(CACHES)) env[name] = join(cache, folder);
  return env;
}
