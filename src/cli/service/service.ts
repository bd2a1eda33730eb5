// `service`: keeps Quarterdeck running by the system's own means (systemd on Linux, launchd on a Mac). It writes one
// file and says which commands use it; nothing is started behind anybody's back.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Config, type Parsed, UsageError } from "../../config.ts";
import { LABEL, launchdPlist, SERVICE, systemdUnit, type ServicePlace } from "./service-units.ts";

export const flags = {
  system: { type: "boolean" },
  launchd: { type: "boolean" },
  systemd: { type: "boolean" },
  directory: { type: "string" },
} as const;

type Kind = "systemd" | "launchd";

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  const kind = kindOf(values);
  const system = values["system"] === true;
  const path = unitPath(kind, { system, directory: values["directory"] as string | undefined });
  const text = unitText(kind, placeOf(config), system);
  const wanted = positionals[0] ?? "";
  switch (wanted) {
    case "print":
      process.stdout.write(text);
      return 0;
    case "install":
      changed(path, () => {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text, { mode: 0o644 });
      });
      console.log(`Wrote ${path}\n${hints(kind, system, path)}`);
      return 0;
    case "uninstall":
      if (!existsSync(path)) throw new UsageError(`There is no ${path}.`, 3);
      changed(path, () => rmSync(path));
      console.log(`Removed ${path}\nThe home ${config.home} is as it was.`);
      return 0;
    default:
      throw new UsageError(
        "service print | install | uninstall [--system] [--systemd | --launchd]",
      );
  }
}

/** `--system` without being root, mostly. */
function changed(path: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    throw new UsageError(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
      3,
    );
  }
}

function kindOf(values: Parsed["values"]): Kind {
  if (values["launchd"] === true) return "launchd";
  if (values["systemd"] === true) return "systemd";
  if (process.platform === "darwin") return "launchd";
  if (process.platform === "linux") return "systemd";
  throw new UsageError(
    "There is no service for this system; say --systemd or --launchd to print one.",
  );
}

export function placeOf({ home, workspace }: Pick<Config, "home" | "workspace">): ServicePlace {
  const main = resolve(process.argv[1] ?? "");
  return {
    node: process.execPath,
    main,
    home,
    workspace,
    environmentFile: join(home, "environment"),
  };
}

type Where = { readonly system: boolean; readonly directory?: string | undefined };

export function unitPath(kind: Kind, { system, directory }: Where): string {
  const name = kind === "systemd" ? `${SERVICE}.service` : `${LABEL}.plist`;
  if (directory !== undefined) return join(resolve(directory), name);
  if (kind === "launchd") return join(homedir(), "Library/LaunchAgents", name);
  return system ? join("/etc/systemd/system", name) : join(homedir(), ".config/systemd/user", name);
}

function unitText(kind: Kind, place: ServicePlace, system: boolean): string {
  return kind === "systemd" ? systemdUnit(place, { system }) : launchdPlist(place);
}

function hints(kind: Kind, system: boolean, path: string): string {
  if (kind === "launchd") return `Start it:  launchctl load -w ${path}`;
  const ctl = system ? "systemctl" : "systemctl --user";
  const linger = system ? "" : "\nWithout a login:  loginctl enable-linger";
  return `Start it:  ${ctl} daemon-reload && ${ctl} enable --now ${SERVICE}\nLook:      ${ctl} status ${SERVICE}${linger}
Keys and QUARTERDECK_* settings: KEY=value lines in the home's file "environment" (chmod 600).`;
}

/** For `doctor`: whether a unit is there, and of this installation. */
export function serviceFinding(config: Pick<Config, "home" | "workspace">): {
  state: "ok" | "note" | "problem";
  text: string;
} {
  const kinds: readonly Kind[] = process.platform === "darwin" ? ["launchd"] : ["systemd"];
  const paths = kinds.flatMap((kind) => [
    unitPath(kind, { system: false }),
    unitPath(kind, { system: true }),
  ]);
  const path = paths.find((each) => existsSync(each));
  if (path === undefined)
    return { state: "note", text: 'not installed: "quarterdeck service install" keeps it running' };
  const text = readFileSync(path, "utf8");
  const { node, main } = placeOf(config);
  const missing = [node, main].find((each) => !text.includes(each));
  if (missing === undefined) return { state: "ok", text: path };
  return {
    state: "problem",
    text: `${path} is of another installation: "quarterdeck service install" writes it anew`,
  };
}
