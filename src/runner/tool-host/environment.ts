// The environment of the tool host and of the commands it starts is an allow-list:
// tokens and provider keys in the runner's own environment must never reach a command.

const ALLOWED = new Set(["PATH", "HOME", "LANG", "TERM", "TZ", "TMPDIR", "USER", "SHELL"]);

/** What a recovering runner looks for: the call belongs to this run. */
export const RUN_MARK = "QUARTERDECK_RUN";
/** Started by this tool host process: swept when the host ends. */
export const HOST_MARK = "QUARTERDECK_TOOL_HOST";
/** Started by this one call: swept when the call is aborted or times out. */
export const CALL_MARK = "QUARTERDECK_CALL";

/** On the sandbox and the host itself, so that a runner can see that they are gone; not on commands. */
export const SANDBOX_MARK = "QUARTERDECK_SANDBOX";

export function allowedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (ALLOWED.has(name) || name.startsWith("LC_"))) allowed[name] = value;
  }
  return allowed;
}
