// What a command runs beside its own program. The answer decides what a person's yes can cover: a
// pattern covers only what is fully known here (`plain`, `project`), an exact command also what can be
// bound to the content of files, and what cannot be told is asked about each time. Unknown
// programs are taken to run whatever file they are given.
import { basename, type Command } from "./command/line.ts";
import { PLAIN, PROJECT, usesOnly } from "./program-options.ts";
import { runsByOptions } from "./program-wrappers.ts";

export type Running =
  | { readonly kind: "plain" } // nothing else, and every option is known
  | { readonly kind: "project" } // the project's own code, by options that are known
  | { readonly kind: "inert" } // nothing else, but its options and operands are not modelled
  | Files
  | { readonly kind: "commands"; readonly commands: readonly Command[] }
  | { readonly kind: "line"; readonly line: string } // for a shell
  | { readonly kind: "anything"; readonly why: string };

/** It may run these files, as they are spelled. `script`: this one, or another one if it is not there. */
type Files = {
  readonly kind: "files";
  readonly files: readonly string[];
  readonly script?: string;
};

const words = (text: string) => new Set(text.trim().split(/\s+/));

const SHELLS =
  words(`sh bash dash zsh ksh mksh lksh pdksh oksh osh ysh ash fish csh tcsh rbash posh yash elvish nu
  xonsh pwsh powershell`);
const INTERPRETERS =
  words(`python pypy ipython node nodejs bun tsx ts-node ruby irb jruby perl php lua luajit tclsh
  wish expect rscript julia runghc runhaskell guile racket escript elixir swift ocaml octave raku crystal janet
  swipl groovy scala kotlin`);
/** They run their arguments, their input or something kept elsewhere; nobody can tell what. */
const ANYTHING =
  words(`cmd busybox toybox eval exec command builtin source . trap alias unalias export readonly declare
  typeset local let set unset shopt enable hash bind complete read mapfile readarray getopts fc cd pushd popd
  deno ed ex vi vim view nvim emacs emacsclient nano osascript java jshell r ghci sbcl clisp clj clojure iex erl
  m4 dc bc gdb lldb sqlite sqlite3 psql mysql mariadb mongosh wasmtime wine gnuplot latexmk vimdiff gvim rvim rview
  pico micro kak joe sudo doas su runuser pkexec gosu watch watchexec entr nodemon parallel unbuffer script flock
  chroot unshare nsenter setpriv capsh firejail bwrap proot fakeroot systemd-run start-stop-daemon at batch crontab
  strace ltrace perf valgrind prlimit numactl choom eatmydata faketime xvfb-run dbus-run-session dbus-launch
  ssh-agent cgexec envdir chpst softlimit setuidgid tini dumb-init hyperfine sg newgrp systemd-inhibit
  systemd-nspawn logsave chronic ifne pee caffeinate rlwrap screen tmux dtach ssh autossh sshpass mosh scp sftp
  rsync docker docker-compose podman nerdctl buildah lxc lxc-attach kubectl oc vagrant ansible bunx pnpx pipx uvx nix
  nix-shell direnv dotenv dotenvx corepack arch setarch linux32 linux64 run-parts socat nc ncat netcat fzf helm
  tcpdump pandoc apt apt-get aptitude dpkg dnf yum pacman apk brew snap flatpak systemctl launchctl service gpg gpg2
  ssh-keygen ld gold lld pdflatex xelatex lualatex tex latex bat less more most pg man chezmoi stow`);
/** They run nothing, whatever they are given; what they change is for a person to read. */
const INERT =
  words(`rm cp mv ln chmod chown chgrp tee dd curl wget tar bsdtar gtar zip unzip gzip gunzip bzip2 xz zstd
  install rmdir mktemp truncate shred split csplit patch kill pkill killall test sync mkfifo wait exit gcc g++ cc c++ clang
  clang++ rustc javac cmake ctest ninja meson bazel fd fdfind dig host nslookup ping sdiff diff3 openssl yes tput clear
  grep diff rg md5sum sha1sum sha256sum sha512sum`);
const TIMED = /^\d+(\.\d+)?[smhd]?$/;

const SYSTEM = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

export function running(command: Command): Running {
  const [program = "", ...args] = command;
  if (program.includes("/") && !SYSTEM.test(program)) {
    return { kind: "files", files: [program, ...args.flatMap(named)], script: program };
  }
  for (const name of spellings(program)) {
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    const known = wrapper?.(args) ?? byName(name, args);
    if (known) return known;
  }
  return { kind: "files", files: args.flatMap(named) };
}

/** As some file systems spell it, and without its version: python3.12, lua-5.4. */
function spellings(program: string): string[] {
  const name = basename(program)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, "");
  const unversioned = name.replace(/[-\d.]*\d$/, "");
  return [name, ...(unversioned !== name && unversioned !== "" ? [unversioned] : [])];
}

function byName(name: string, args: readonly string[]): Running | undefined {
  if (/^ld([-.].*)?$|\.so(\.\d+)*$/.test(name) || ANYTHING.has(name)) return anything(name);
  const listed = byOptions(name, args);
  if (listed) return listed;
  if (runsByOptions(name, args)) return anything(name);
  if (name === "find") return findIsPlain(args) ? { kind: "plain" } : { kind: "inert" };
  if (SHELLS.has(name)) return shell(args);
  if (INTERPRETERS.has(name)) return interpreter(name, args);
  if (name === "git" || INERT.has(name)) return { kind: "inert" };
  return undefined;
}

/** By the longest key of the tables: `git stash list`, `git log`, `ls`. */
function byOptions(name: string, args: readonly string[]): Running | undefined {
  for (let length = 2; length >= 0; length -= 1) {
    const key = [name, ...args.slice(0, length)].join(" ");
    const rest = args.slice(length);
    if (args.length < length) continue;
    const plain = own(PLAIN, key);
    if (plain !== undefined) return usesOnly(rest, plain) ? { kind: "plain" } : undefined;
    const project = own(PROJECT, key);
    if (project !== undefined) return usesOnly(rest, project) ? projectRun(rest) : undefined;
  }
  return undefined;
}

/** How many words of a command name what it does: 2 of `git log -5`. */
export function keyLength([program = "", ...args]: Command): number {
  for (let length = Math.min(2, args.length); length > 0; length -= 1) {
    const key = [basename(program), ...args.slice(0, length)].join(" ");
    if (own(PLAIN, key) !== undefined || own(PROJECT, key) !== undefined) return length + 1;
  }
  return 1;
}

/** `make CC=./x` runs another program than the project's files say. */
function projectRun(args: readonly string[]): Running | undefined {
  const end = args.indexOf("--");
  const own_ = end < 0 ? args : args.slice(0, end);
  return own_.some((word) => /^[^-].*=/s.test(word) || word.includes("$"))
    ? undefined
    : { kind: "project" };
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function anything(name: string): Running {
  return { kind: "anything", why: `“${name}” runs what it is given or finds elsewhere` };
}

function shell(args: readonly string[]): Running {
  const [first = "", second] = args;
  if (/^-[eux]*c$/.test(first) && second !== undefined && args.length === 2) {
    return { kind: "line", line: second };
  }
  if (first !== "" && !/^[-+]/.test(first)) return scriptOf(first);
  return { kind: "anything", why: "a shell runs what it reads" };
}

/** `node x` runs x.js if there is no x, and `bun run x` has no file "run". */
function scriptOf(file: string): Running {
  return { kind: "files", files: [file], script: file };
}

const MODULES = words("pytest mypy ruff black flake8 isort unittest");

function interpreter(name: string, args: readonly string[]): Running {
  const [first = "", second = "", ...rest] = args;
  if (name === "python" && first === "-m" && MODULES.has(second)) {
    if (second === "unittest") return { kind: "project" };
    return byOptions(second, rest) ?? anything(`python -m ${second}`);
  }
  if (name === "node" && first === "--test") {
    return args.slice(1).some((word) => word.startsWith("-"))
      ? anything(name)
      : { kind: "project" };
  }
  if (first !== "" && !/^[-+]/.test(first)) return scriptOf(first);
  if (first === "--version" && args.length === 1) return { kind: "inert" };
  return { kind: "anything", why: `“${name}” runs code that is not in a file` };
}

type Wrapper = (args: readonly string[]) => Running | undefined;
/** What begins like an option is one of the wrapper that is not known, or takes the next word. */
const inner = (command: Command): Running =>
  /^[^-]/.test(command[0] ?? "")
    ? { kind: "commands", commands: [command] }
    : anything("this wrapper");

/** Programs that run the command in their arguments, where that can be told. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: (args) => inner(args[0]?.match(/^-|=/) ? [] : args),
  nohup: (args) => inner(args),
  time: (args) => inner(args[0] === "-p" ? args.slice(1) : args),
  setsid: () => anything("setsid"),
  nice: (args) => inner(args[0] === "-n" ? args.slice(2) : args),
  ionice: () => anything("ionice"),
  stdbuf: (args) => inner(args.slice(args.findIndex((word) => !/^-[ioe]./.test(word)))),
  timeout: (args) => inner(TIMED.test(args[0] ?? "") ? args.slice(1) : []),
  gtimeout: (args) => inner(TIMED.test(args[0] ?? "") ? args.slice(1) : []),
  xargs: overInput,
  npx: localTool,
  sed: (args) => (sedIsHarmless(args) ? { kind: "inert" } : anything("sed")),
  gsed: (args) => (sedIsHarmless(args) ? { kind: "inert" } : anything("sed")),
  awk: (args) => (awkIsHarmless(args) ? { kind: "inert" } : anything("awk")),
  gawk: (args) => (awkIsHarmless(args) ? { kind: "inert" } : anything("awk")),
  mawk: (args) => (awkIsHarmless(args) ? { kind: "inert" } : anything("awk")),
  jq: (args) => (args.some((word) => JQ_MODULE.test(word)) ? anything("jq") : undefined),
  nawk: () => anything("nawk"),
  "original-awk": () => anything("awk"),
};

/** A module is a file that no operand names; `.include` is only a field. */
const JQ_MODULE = /(?<!\.)\b(import|include)\b/;

/** They only read and print, whatever options they are given. */
const ONLY_PRINT = words(
  "cat head tail wc ls echo basename dirname stat grep du cut nl md5sum sha1sum sha256sum sha512sum",
);

/** More arguments come from its input, options too: only what runs nothing whatever it is given can be told. */
function overInput(args: readonly string[]): Running {
  let at = 0;
  while (/^-(0|r|t|[nPLI]\S+)$/.test(args[at] ?? "") || /^-[nPLI]$/.test(args[at] ?? "")) {
    at += /^-[nPLI]$/.test(args[at] ?? "") ? 2 : 1;
  }
  const isPlain = running(args.slice(at)).kind === "plain";
  return isPlain && ONLY_PRINT.has(args[at] ?? "") ? { kind: "inert" } : anything("xargs");
}

/** A tool of the project; anything else would be fetched. */
function localTool(args: readonly string[]): Running {
  const [name = "", ...rest] =
    args[0] === "--no-install" || args[0] === "--no" ? args.slice(1) : args;
  const tool = byOptions(name, rest);
  return tool?.kind === "project" ? tool : anything("npx");
}

/** Substitutions and line ranges: no `e` (runs), `w` (writes) or script file. */
function sedIsHarmless(args: readonly string[]): boolean {
  const options = args.filter((word) => word.startsWith("-"));
  if (options.some((word) => !/^-(n|e|E|r|i|i\.bak|ne|nE|s|z)$/.test(word))) return false;
  const given = options.filter((word) => word.includes("e"));
  if (given.length > 1) return false;
  // With -e somewhere, what stands before it is a file.
  const at = given[0] === undefined ? -1 : args.indexOf(given[0]);
  const script = at < 0 ? args.find((word) => !word.startsWith("-")) : args[at + 1];
  return SED.test(script ?? "");
}
const SED =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?[pdq=]|s([/|,#@])(?:(?!\1)[^\\\n;]|\\.)*\1(?:(?!\1)[^\\\n;]|\\.)*\1[gpiI\d]*)$/;

function awkIsHarmless(args: readonly string[]): boolean {
  const [first = "", second = ""] = args;
  const separated = /^-F.*/.test(first);
  const script = separated ? (first === "-F" ? (args[2] ?? "") : second) : first;
  return script !== "" && !script.startsWith("-") && !/system|getline|[|>@]/.test(script);
}

const FIND =
  words(`-name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin -newer -empty -not -o -or -a -and !
  -print -print0 -prune -regex -iregex -perm -user -P -H ( ) -depth -xdev`);

function findIsPlain(args: readonly string[]): boolean {
  return args.every((word) => FIND.has(word) || !/^[-(!]/.test(word));
}

/** Everything in an argument that may be the name of a file: `--plugin=./x`, `-D./x`, `@list`, `a:b`. */
export function named(word: string): string[] {
  const parts = [word, ...word.split(/[=:,]/), word.replace(/^-\w/, ""), word.replace(/^[@+]/, "")];
  return [...new Set(parts)].filter((part) => part !== "" && !part.startsWith("-"));
}
