// Which files of a workspace are executed outside of the sandbox, by git, an editor, a shell or a login of the
// person. Writing them asks (protected-files.ts); in the sandbox they are read-only, and a command's changes to them
// are reverted (guard.ts).

/** Wherever they lie: programs of people look for them in the folder they are started in. */
export const ANYWHERE = [
  ".git",
  ".quarterdeck",
  ".vscode",
  ".idea",
  ".zed",
  ".cursor",
  ".claude",
  ".codex",
  ".gemini",
  ".mcp.json",
  ".envrc",
  ".husky",
  ".devcontainer",
] as const;

/** At the top of a workspace, and of the person's home directory. */
export const AT_TOP: readonly string[] = [
  ".profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv",
  ".zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc",
  ".xsession .xsessionrc .pam_environment .gitconfig .ssh .gnupg .config/git .config/fish",
  ".config/systemd .config/autostart .config/environment.d .local/bin .local/share/systemd",
  ".local/share/applications Library/LaunchAgents",
].flatMap((names) => names.split(" "));

/** Only in the home directory: elsewhere they are files of a project like others. */
export const AT_HOME: readonly string[] = [
  ".npmrc .yarnrc .yarnrc.yml .pypirc .netrc .config/pip .cargo/bin .cargo/config.toml",
  ".cargo/env bin go/bin .docker .kube .aws",
].flatMap((names) => names.split(" "));

/** In a repository: what git executes, or takes the name of something to execute from. */
export const IN_REPOSITORY = [
  "config",
  "config.worktree",
  "hooks",
  "info",
  "commondir",
  "gitdir",
] as const;

/** Whether git would take a directory with these names for a repository, or for the shared part of one. */
export function isRepository(names: ReadonlySet<string>): boolean {
  const isWhole = names.has("objects") && names.has("refs");
  if (names.has("HEAD")) return isWhole || names.has("commondir");
  return isWhole && (names.has("config") || names.has("hooks"));
}
