// Options that make a known program run another one. A command with one of them is never allowed by a
// rule. The table errs towards asking. Programs that are not in any table need no line here: what
// they are given is bound to its content (programs.ts).

const words = (text: string) => text.trim().split(/\s+/);

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
  ...words("-fuse-ld -Xlinker -Wl,@ --ld-path --config --gcc-toolchain -gcc-toolchain -iplugindir"),
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
  bsdtar: either((args) => /^[a-zA-Z]*[IF]/.test(args[0] ?? ""), letters("IF"), TAR_LONG),
  gtar: either((args) => /^[a-zA-Z]*[IF]/.test(args[0] ?? ""), letters("IF"), TAR_LONG),
  sdiff: long("--diff-program"),
  diff3: long("--diff-program"),
  diff: long("--diff-program"),
  rustc: beginsWith("-C", "--codegen", "-Z", "@", "--extern", "-L"),
  javac: beginsWith("-processor", "-J", "@", "--processor", "-Xplugin"),
  openssl: anyOf("engine", "-engine", "-provider", "-provider-path", "-config"),
  curl: either(letters("K"), long("--config", "--engine", "--netrc-file")),
  ninja: letters("f"),
  meson: anyOf("--native-file", "--cross-file", "--vsenv", "devenv"),
  bazel: anyOf("run"),
  jq: long("--library-path"),
  patch: beginsWith("--get", "-g"),
  tar: either((args) => /^[a-zA-Z]*[IF]/.test(args[0] ?? ""), letters("IF"), TAR_LONG),
  cpio: long("--rsh-command"),
  zip: either(letters("T"), long("--unzip-command")),
  sort: long("--compress-program"),
  split: long("--filter"),
  install: long("--strip-program"),
  man: either(letters("PH"), long("--pager", "--html")),
  ip: either((args) => args.some((arg) => "exec".startsWith(arg)), beginsWith("-b")),
  wget: either(letters("e"), long("--use-askpass", "--execute", "--config")),
  svn: long("--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option"),
  hg: long("--config"),
  go: beginsWith(
    ...words(
      "-exec -toolexec -vettool -overlay -C --exec --toolexec --vettool run tool env generate",
    ),
  ),
  gcc: COMPILER,
  "g++": COMPILER,
  cc: COMPILER,
  "c++": COMPILER,
  clang: COMPILER,
  "clang++": COMPILER,
  cmake: anyOf("-C", "-E", "-P"),
  ctest: beginsWith("-S", "--script", "--build-and-test"),
  make: either(
    makeRuns,
    letters("fCI"),
    long("--file", "--makefile", "--directory", "--include-dir"),
  ),
  gmake: either(
    makeRuns,
    letters("fCI"),
    long("--file", "--makefile", "--directory", "--include-dir"),
  ),
  just: either(letters("c"), long(...words("--command --shell --shell-arg --chooser --set"))),
  npm: either(
    npmRuns,
    long(...words("--script-shell --node-options --git --viewer --editor --prefix")),
    letters("C"),
    anyOf("config", "c", "set", "get", "pkg", "edit", "link", "ln", "rebuild", "rb"),
  ),
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
  cargo: beginsWith("--config", "--manifest-path", "-C", "-Z", "+", "run", "install", "r", "xtask"),
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

/** Anything else is an alias in somebody's settings, or a program called git-something. */
const GIT_OWN = new Set(
  words(`add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-ref-format
    checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree count-objects describe diff
    diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object help init log ls-files
    ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mv name-rev notes pack-refs patch-id prune
    pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert
    rm shortlog show show-branch show-ref sparse-checkout stash status stripspace submodule switch symbolic-ref tag
    update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree`),
);

export function isGitsOwn(args: readonly string[]): boolean {
  const subcommand = args.find((arg) => !arg.startsWith("-"));
  return subcommand === undefined || GIT_OWN.has(subcommand);
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

export function runsByOptions(name: string, args: readonly string[]): boolean {
  return Object.hasOwn(SOMETIMES, name) && SOMETIMES[name]?.(args) === true;
}
