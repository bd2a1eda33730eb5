// Recognises the files that git itself writes when a repository is created, cloned or gets a worktree, and that hold
// nothing git would execute. Everything else needs a person's approval.
import { basename } from "node:path";

/** Settings without a program, a path or an address of a helper in them. */
const SETTINGS: Readonly<Record<string, string>> = {
  core:
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks " +
    "autocrlf eol quotepath",
  extensions: "objectformat refstorage worktreeconfig partialclone compatobjectformat",
  remote: "url fetch tagopt promisor partialclonefilter prune",
  branch: "remote merge rebase description",
  submodule: "active url",
  user: "name email",
  init: "defaultbranch",
  pull: "rebase ff",
  push: "default autosetupremote",
};
/** An address like ext::sh -c … or a path with options is a program. */
const ADDRESS = /^(?:https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/|[\w.-]+@[\w.-]+:|\.{0,2}\/)[^\s]*$/;

export function isHarmlessGit(path: string, content: string): boolean {
  const name = basename(path);
  if (/(?:^|\/)hooks\/[^/]+\.sample$/.test(path)) return true; // git does not run it under this name
  if (/(?:^|\/)info\/(?:exclude|sparse-checkout)$/.test(path)) return true;
  if (name === "config" || name === "config.worktree") return isHarmlessConfig(content);
  if (name === "commondir") return content.trim() === "../..";
  if (name === "gitdir") return true; // where the worktree is; nothing is read from there
  return (
    name === ".git" && /^gitdir: [^\0\n]*\.git\/(?:worktrees|modules)\/[^\0\n]+\n?$/.test(content)
  );
}

export function isHarmlessConfig(text: string): boolean {
  let section = "";
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const heading = /^\[([A-Za-z]+)(?: "[^"\\]*")?\]$/.exec(line)?.[1];
    if (heading !== undefined) section = heading.toLowerCase();
    else if (!isHarmlessSetting(section, line)) return false;
  }
  return true;
}

function isHarmlessSetting(section: string, line: string): boolean {
  const [, name, value = ""] = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
  if (name === undefined || value.endsWith("\\") || !Object.hasOwn(SETTINGS, section)) return false;
  const setting = name.toLowerCase();
  if (!SETTINGS[section]?.split(" ").includes(setting)) return false;
  return setting !== "url" || ADDRESS.test(value);
}
