// What `serve` and `doctor` know of browsers. The library itself is loaded in the browser host alone.
import type { Config } from "../../config.ts";
import { browserVersion, cdpAddress } from "./host/cdp-address.ts";
import { browserRequirements } from "./host/requirements.ts";
import type { BrowserService } from "./server/service.ts";
import type { Finding } from "../../cli/doctor/doctor.ts";

type Settings = Pick<Config, "browser_executable" | "allow_private_hosts">;

export function browserService({
  browser_executable,
  allow_private_hosts,
}: Settings): BrowserService {
  return {
    requirements: () => browserRequirements(browser_executable),
    address: (text) => cdpAddress(text, allow_private_hosts),
    version: browserVersion,
  };
}

/** Nobody needs one: what is missing is worth a note. */
export function browserFinding({ browser_executable }: Settings): Finding {
  const { executable, missing, notes } = browserRequirements(browser_executable);
  const name = "browser";
  if (missing.length > 0) return { name, state: "note", text: missing.join(" ") };
  const text = [`agents can be given ${executable ?? "one"}`, ...notes].join(". ");
  return { name, state: "ok", text };
}
