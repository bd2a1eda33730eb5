// Commands that run what their arguments say: shells, interpreters, and whatever starts another
// command. An allowed beginning of theirs would allow anything, so no rule by argv ever allows them.
// Runners of a project's own code (npm test, make, cargo test) are not among them: people allow those
// knowingly. The table errs towards asking; it cannot be complete, which is what the sandbox is for.
import { basename, type Command } from "./command-line.ts";

const words = (text: string) => text.trim().split(/\s+/);

/** Whatever their arguments are. */
const ALWAYS = new Set([
  // shells, and what a shell does with its own words
  ...words(`sh bash dash zsh ksh mksh lksh pdksh oksh osh ysh ash fish csh tcsh rbash posh yash elvish nu xonsh pwsh
    powershell cmd busybox toybox eval exec command builtin source . trap alias unalias export
    readonly declare typeset local let set unset shopt enable hash bind complete read mapfile readarray
    getopts fc`),
  // interpreters, with a file too: the file is whatever was written to it
  ...words(`python pypy ipython node nodejs deno bun tsx ts-node ruby irb jruby perl php lua luajit tclsh
    wish expect awk gawk mawk nawk sed gsed ed ex vi vim view nvim emacs emacsclient nano osascript
    java jshell groovy scala kotlin rscript r julia ghci runghc runhaskell guile racket sbcl clisp clj
    clojure elixir iex erl escript swift ocaml octave m4 dc bc gdb lldb sqlite sqlite3 psql mysql mariadb
    mongosh wasmtime wine gnuplot raku crystal janet swipl latexmk original-awk vimdiff gvim rvim rview pico micro
    kak joe`),
  // as somebody else, somewhere else, later, or in another way
  ...words(`env sudo doas su runuser pkexec gosu xargs nice ionice chrt taskset nohup setsid timeout gtimeout
    time watch watchexec entr nodemon parallel stdbuf unbuffer script flock chroot unshare nsenter
    setpriv capsh firejail bwrap proot fakeroot systemd-run start-stop-daemon at batch crontab strace
    ltrace perf valgrind prlimit numactl choom eatmydata faketime xvfb-run dbus-run-session dbus-launch
    ssh-agent cgexec envdir chpst softlimit setuidgid tini dumb-init hyperfine sg newgrp systemd-inhibit
    systemd-nspawn logsave chronic ifne pee caffeinate rlwrap screen tmux dtach ssh autossh sshpass mosh scp sftp rsync docker
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

/** Long options: most programs take them cut short, too. */
const long =
  (...options: string[]): Runs =>
  (args) =>
    args.some((arg) => {
      const [name = ""] = arg.split("=", 1);
      return name.length > 2 && options.some((option) => option.startsWith(name));
    });
/** Letters that may stand among others: -qT. */
const letters =
  (which: string): Runs =>
  (args) =>
    args.some((arg) => new RegExp(`^-[^-]*[${which}]`).test(arg));

const TAR_LONG = long(
  ...words("--checkpoint-action --to-command --use-compress-program --rsh-command --rmt-command"),
  ...words("--info-script --new-volume-script"),
);
const COMPILER = beginsWith(
  ...words("-wrapper -B -fplugin -fpass-plugin -specs --specs -Xclang -Wl,-plugin -Wl,--plugin @"),
);
/** Make's own language and a shell's in a variable; plain values are what people give. */
const MAKE_PLAIN = /^\w+[:?+]*=[\w.,/:@%+-]*$/;
const NPM_RUNS = words("exec explore init innit create");

/** Only when their arguments make them run something. */
const SOMETIMES: Readonly<Record<string, Runs>> = {
  find: beginsWith("-exec", "-ok"),
  fd: either(letters("xX"), long("--exec", "--exec-batch")),
  fdfind: either(letters("xX"), long("--exec", "--exec-batch")),
  rg: beginsWith("--pre", "--hostname-bin"),
  git: gitRuns,
  tar: either((args) => /^[a-zA-Z]*[IF]/.test(args[0] ?? ""), letters("IF"), TAR_LONG),
  cpio: long("--rsh-command"),
  zip: either(letters("T"), long("--unzip-command")),
  sort: long("--compress-program"),
  split: long("--filter"),
  install: long("--strip-program"),
  man: either(letters("PH"), long("--pager", "--html")),
  ip: either((args) => args.some((arg) => "exec".startsWith(arg)), beginsWith("-b")),
  wget: either(letters("e"), long("--use-askpass", "--execute")),
  svn: long("--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option"),
  hg: long("--config"),
  go: beginsWith(...words("-exec -toolexec -vettool --exec --toolexec --vettool run tool")),
  gcc: COMPILER,
  "g++": COMPILER,
  cc: COMPILER,
  "c++": COMPILER,
  clang: COMPILER,
  "clang++": COMPILER,
  cmake: anyOf("-C", "-E", "-P"),
  ctest: beginsWith("-S", "--script", "--build-and-test"),
  make: makeRuns,
  gmake: makeRuns,
  just: either(letters("c"), long(...words("--command --shell --shell-arg --chooser --set"))),
  npm: either(npmRuns, long(...words("--script-shell --node-options --git --viewer --editor"))),
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
const GIT_RUNS = new Set(
  words(`config filter-branch difftool mergetool send-email hook merge-index remote-ext instaweb web--browse shell
    daemon gui citool svn p4`),
);
const GIT_OPTIONS = either(
  beginsWith("ext::"),
  letters("xO"),
  long(...words("--exec --extcmd --ext-diff --open-files-in-pager --upload-pack --receive-pack")),
  long("--config", "--template"), // a template brings hooks
);

/** Before the subcommand git takes configuration, and configuration names programs. */
function gitRuns(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const before = at < 0 ? args : args.slice(0, at);
  const [subcommand = "", ...rest] = at < 0 ? [] : args.slice(at);
  if (before.some((arg) => !GIT_HARMLESS.has(arg))) return true;
  if (GIT_RUNS.has(subcommand)) return true;
  if (GIT_OPTIONS(rest)) return true;
  if (subcommand === "clone") return letters("cu")(rest);
  return (subcommand === "bisect" && rest[0] === "run") || rest.includes("foreach");
}

function makeRuns(args: readonly string[]): boolean {
  if (either(anyOf("SHELL", "MAKEFLAGS"), letters("E"), long("--eval"))(args)) return true;
  return args.some((arg) => arg.includes("$") || (/^[^-].*=/s.test(arg) && !MAKE_PLAIN.test(arg)));
}

/** Its commands may be cut short, too; `in` is install. */
function npmRuns(args: readonly string[]): boolean {
  return args.some(
    (arg) =>
      arg === "x" ||
      (arg.length > 1 && arg !== "in" && NPM_RUNS.some((name) => name.startsWith(arg))),
  );
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
