// The files by which a system keeps Quarterdeck running. Pure: what is installed is exactly what `service print` shows.
// Everything that comes from outside is quoted: a folder may have any name.

export type ServicePlace = {
  readonly node: string; // absolute, like all of these
  readonly main: string;
  readonly home: string;
  readonly workspace: string;
  readonly environmentFile: string; // KEY=value lines, for its owner only
};
export const SERVICE = "quarterdeck";
export const LABEL = "dev.quarterdeck";

/** `up` hands runs over on SIGTERM and ends; whatever kills it otherwise, it comes back. */
export function systemdUnit(place: ServicePlace, { system }: { system: boolean }): string {
  const { node, main, home, workspace, environmentFile } = place;
  const command = [node, main, "up", "--home", home, "--workspace", workspace].map(inSystemd);
  return `[Unit]
Description=Quarterdeck: runs AI agents as journals
Documentation=file://${main}
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
ExecStart=${command.join(" ")}
EnvironmentFile=-${pathInSystemd(environmentFile)}
Restart=always
RestartSec=1
KillSignal=SIGTERM
KillMode=mixed
TimeoutStopSec=60
UMask=0077
NoNewPrivileges=yes
LimitNOFILE=65536

[Install]
WantedBy=${system ? "multi-user.target" : "default.target"}
`;
}

export function launchdPlist(place: ServicePlace): string {
  const { node, main, home, workspace } = place;
  const words = [node, main, "up", "--home", home, "--workspace", workspace];
  const log = `${home}/logs/service.out`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${inXml(word)}</string>`).join("\n")}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ExitTimeOut</key><integer>60</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${inXml(log)}</string>
  <key>StandardErrorPath</key><string>${inXml(log)}</string>
</dict>
</plist>
`;
}

/** A word of ExecStart: quoted, with % (specifiers), $ (variables), quotes and backslashes as themselves. */
function inSystemd(word: string): string {
  refuseLines(word);
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${escaped.replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
}

/** A path setting takes the rest of its line as it is, but for specifiers. */
function pathInSystemd(path: string): string {
  refuseLines(path);
  return path.replaceAll("%", "%%");
}

function refuseLines(word: string): void {
  if (/[\n\r\0]/.test(word)) throw new Error("A path with a line break cannot be in a unit.");
}

function inXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
