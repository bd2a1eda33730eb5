// Commands that run what their arguments say: shells, interpreters, and whatever starts another
// command. An allowed beginning of theirs would allow anything, so no rule by argv ever allows them.
// Runners of a project's own code (npm test, make, cargo test) are not among them: people allow those
// knowingly. The table errs towards asking; it cannot be complete, which is what the sandbox is for.
import { basename, type Command } from "./command-line.ts";

const words = (text: string) => text.trim().split(/\s+/);

/** Whatever their arguments are. */
const ALWAYS = new Set([
  // shells, and what a shell does with its own words
  ...words(`sh bash dash zsh ksh mksh pdksh oksh ash fish csh tcsh rbash posh yash elvish nu xonsh pwsh
    powershell cmd busybox toybox eval exec command builtin source . trap alias unalias export
    readonly declare typeset local let set unset shopt enable hash bind complete read mapfile readarray
    getopts fc`),
  // interpreters, with a file too: the file is whatever was written to it
  ...words(`python pypy ipython node nodejs deno bun tsx ts-node ruby irb jruby perl php lua luajit tclsh
    wish expect awk gawk mawk nawk sed gsed ed ex vi vim view nvim emacs emacsclient nano osascript
    java jshell groovy scala kotlin rscript r julia ghci runghc runhaskell guile racket sbcl clisp clj
    clojure elixir iex erl escript swift ocaml octave m4 dc bc gdb lldb sqlite sqlite3 psql mysql mariadb
    mongosh wasmtime wine`),
  // as somebody else, somewhere else, later, or in another way
  ...words(`env sudo doas su runuser pkexec gosu xargs nice ionice chrt taskset nohup setsid timeout gtimeout
    time watch watchexec entr nodemon parallel stdbuf unbuffer script flock chroot unshare nsenter
    setpriv capsh firejail bwrap proot fakeroot systemd-run start-stop-daemon at batch crontab strace
    ltrace perf valgrind rlwrap screen tmux dtach ssh autossh sshpass mosh scp sftp rsync docker
    docker-compose podman nerdctl buildah lxc lxc-attach kubectl oc vagrant ansible npx bunx pnpx pipx
    uvx nix nix-shell direnv dotenv dotenvx corepack arch setarch linux32 linux64 run-parts ld-linux socat
    nc ncat netcat`),
]);

type Runs = (args: readonly string[]) => boolean;

const anyOf =
  (...options: string[]): Runs =>
  (args) =>
    args.some((arg) => options.some((option) => arg === option || arg.startsWith(`${option}=`)));
const beginsWith =
  (...starts: string[]): Runs =>
  (args) =>
    args.some((arg) => starts.some((start) => arg.startsWith(start)));
const either =
  (...checks: Runs[]): Runs =>
  (args) =>
    checks.some((check) => check(args));

// Long options may be cut short.
const TAR_RUNS = /^-[a-zA-Z]*[IF]|^--(checkpoint-a|to-c|use|rsh|info-s|new-v)/;

/** Only when their arguments make them run something. */
const SOMETIMES: Readonly<Record<string, Runs>> = {
  find: beginsWith("-exec", "-ok"),
  fd: beginsWith("-x", "-X", "--exec"),
  fdfind: beginsWith("-x", "-X", "--exec"),
  rg: beginsWith("--pre", "--hostname-bin"),
  git: gitRuns,
  tar: (args) => /^[a-z]*[IF]/.test(args[0] ?? "") || args.some((arg) => TAR_RUNS.test(arg)),
  zip: beginsWith("-T", "--unzip-command"),
  sort: beginsWith("--comp"),
  split: beginsWith("--fil"),
  man: beginsWith("-P", "-H", "--pager", "--html"),
  ip: anyOf("exec", "-b", "-batch"),
  go: beginsWith("-exec", "-toolexec", "--exec", "--toolexec", "run"),
  gcc: anyOf("-wrapper"),
  cmake: anyOf("-E", "-P"),
  make: either(anyOf("SHELL", "MAKEFLAGS"), beginsWith("--eval")),
  npm: anyOf("exec", "x", "explore", "--script-shell", "init", "create"),
  pnpm: anyOf("exec", "dlx", "create", "--shell-emulator"),
  yarn: anyOf("exec", "dlx", "create", "node"),
  uv: anyOf("run", "tool"),
  poetry: anyOf("run", "shell"),
  pipenv: anyOf("run", "shell"),
  hatch: anyOf("run", "shell"),
  pdm: anyOf("run"),
  rye: anyOf("run"),
  conda: anyOf("run"),
  mamba: anyOf("run"),
  bundle: anyOf("exec"),
  rbenv: anyOf("exec"),
  pyenv: anyOf("exec"),
  asdf: anyOf("exec"),
  mise: anyOf("exec", "x", "run", "r"),
  volta: anyOf("run"),
  nvm: anyOf("exec", "run"),
  rustup: anyOf("run"),
  opam: anyOf("exec"),
  dune: anyOf("exec"),
  cargo: beginsWith("--config"),
  printf: beginsWith("-v"),
};

const GIT_HARMLESS = new Set(words("--no-pager -P --version --help -h -v --no-optional-locks"));
const GIT_RUNS = new Set(words("config filter-branch difftool mergetool send-email hook"));
const GIT_OPTIONS = /^ext::|^-[a-z]*[xO]|^--(ex|open|upl|rece|conf)/;

/** Before the subcommand git takes configuration, and configuration names programs. */
function gitRuns(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const before = at < 0 ? args : args.slice(0, at);
  const [subcommand = "", ...rest] = at < 0 ? [] : args.slice(at);
  if (before.some((arg) => !GIT_HARMLESS.has(arg))) return true;
  if (GIT_RUNS.has(subcommand)) return true;
  if (rest.some((arg) => GIT_OPTIONS.test(arg))) return true;
  if (subcommand === "clone") return beginsWith("-c", "-u")(rest);
  return (subcommand === "bisect" && rest[0] === "run") || rest.includes("foreach");
}

export function isWrapper(command: Command): boolean {
  const [program = "", ...args] = command;
  const name = basename(program)
    .toLowerCase() // some file systems do not tell them apart
    .replace(/\.(exe|cmd|bat|com)$/, "");
  const unversioned = name.replace(/[-\d.]*\d$/, ""); // python3.12, lua-5.4
  return [name, unversioned].some(
    (known) => ALWAYS.has(known) || (Object.hasOwn(SOMETIMES, known) && SOMETIMES[known]?.(args)),
  );
}
