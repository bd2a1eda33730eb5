// Programs whose options are known: commands of theirs that use only what is listed here run nothing
// but themselves (or the project's own code) and write no file that an option names. The lists are
// of what is allowed: an option that is missing costs a question, one too many is a hole.
// `-abc` letters, `-n:` a letter with a value, `--name` and `--name=` (with a value), `-#` a number,
// `@2` at most two operands, `/` letters stand alone: it has a parser of its own, to which `-Lo 2 x` is
// `-L 2 -o x`. Options that follow links on the way through a folder are left out: links lead anywhere.
// A key is the program with its subcommand.

const SHOW = `-p -s -u -w -b -q -M -C -R -a -z -n: -U: -G: -S: -L: -# --oneline --stat --shortstat --numstat --graph --all
  --patch --no-patch --name-only --name-status --cached --staged --follow --decorate --no-decorate
  --no-merges --merges --first-parent --reverse --abbrev-commit --format= --pretty= --since= --until=
  --after= --before= --author= --grep= --date= --max-count= --skip= --branches --tags --remotes
  --word-diff --ignore-all-space --ignore-blank-lines --color --no-color --color= --unified= --diff-filter=
  --summary --no-renames --find-renames --no-ext-diff --no-textconv --exit-code --quiet --relative --minimal
  --merge-base --left-right --cherry-pick --topo-order --date-order --abbrev= --full-index`;
const CARGO = `-p: -j: -q -v --package= --workspace --all --lib --bins --bin= --tests --test= --examples
  --example= --all-targets --all-features --features= --no-default-features --release --locked --offline --frozen
  --jobs= --keep-going --no-run --no-fail-fast --quiet --verbose --message-format= --profile= --check --doc`;
const GO = `-v -x -race -short -count= -run= -bench= -benchmem -timeout= -cover -json -failfast -tags= -parallel= -mod= -w -l -d -s -e`;
const NPM = `-s -w: --silent --workspace= --workspaces --if-present --include-workspace-root --no-audit --no-fund
  --prefer-offline --offline --omit= --include= --save-dev -D -E --save-exact --no-save --ignore-scripts --json --depth= -a --all`;
const TESTS = `-v -x -q -s -l -k: -m: -n: -t: -i --verbose --quiet --lf --ff --sw --tb= --maxfail= --durations= --cov --cov= --no-cov
  --no-header --co --collect-only --watch --run --coverage --bail --bail= --silent --runInBand --testNamePattern= --testPathPattern=
  --passWithNoTests --reporter= --ci --changed --update -u --color --no-color --failed-first --last-failed --exitfirst`;
const LINT = `--fix --check --write --quiet --cache --diff --max-warnings= --ext= --format= --no-color --color -q -v --strict
  --ignore-missing-imports --show-error-codes --select= --ignore= --line-length= --verbose --list-different -l -w -u`;

/** They read what they are given and print. */
export const PLAIN: Readonly<Record<string, string>> = {
  ls: "-a -A -l -h -R -t -r -S -1 -d -F -i -G -n -p -s -g -o -u -U -c -X -k -m -Q --all --almost-all --human-readable --recursive --reverse --color= --color --group-directories-first --full-time --time-style= --sort=",
  cat: "-n -b -A -E -s -T -v -e -t",
  head: "-n: -c: -q -v -# --lines= --bytes=",
  tail: "-n: -c: -q -v -f -F -r -# --lines= --bytes= --follow",
  wc: "-l -w -c -m -L",
  grep: "-r -n -i -I -l -L -c -v -w -x -o -H -h -E -F -P -G -q -s -a -z -A: -B: -C: -e: -m: -# --include= --exclude= --exclude-dir= --color --color= --line-number --recursive --ignore-case --files-with-matches --count",
  rg: "-n -i -l -c -v -w -s -S -F -o -U -P -u -p -x -H -I -N -A: -B: -C: -e: -g: -t: -T: -m: -j: -M: --files --hidden --no-ignore --glob= --type= --iglob= --multiline --count --heading --no-heading --json --stats --sort= --max-count= --max-depth= --context= --files-with-matches --fixed-strings --ignore-case --word-regexp --no-line-number --color= --vimgrep",
  diff: "-u -q -w -b -B -N -a -i -y -c -U: --unified= --brief --color --color= --ignore-all-space --strip-trailing-cr",
  cmp: "-s -l -b -n:",
  comm: "-1 -2 -3 -i",
  sort: "-r -n -u -h -f -b -V -g -M -R -s -z -k: -t: --reverse --numeric-sort --unique --key= --field-separator=",
  uniq: "-c -d -u -i -D -f: -s: @1",
  cut: "-d: -f: -c: -b: -s --delimiter= --fields= --characters=",
  tr: "-d -s -c -C -t",
  nl: "-b: -w: -s: -v:",
  tac: "",
  rev: "",
  fold: "-w: -s",
  column: "-t -s: -c:",
  paste: "-d: -s",
  jq: "-r -c -e -s -S -n -M -C -a -j --raw-output --compact-output --slurp --sort-keys --tab --exit-status",
  md5sum: "-b",
  sha1sum: "-b",
  sha256sum: "-b",
  sha512sum: "-b",
  base64: "-d -w: -i --decode --wrap=",
  xxd: "-l: -c: -p -s: -g: -u @1 /",
  hexdump: "-C -n: -s: -v",
  od: "-A: -t: -c -x -N: -j: -v",
  strings: "-n: -a -t:",
  stat: "-c: -f -L -t --format= --printf=",
  file: "-b -i -L --mime-type --brief --mime",
  du: "-s -h -a -c -k -m -b -d: --max-depth= --summarize --human-readable --exclude=",
  df: "-h -k -T -i --human-readable",
  tree: "-a -d -f -L: -I: -P: -C --dirsfirst --noreport --gitignore /",
  realpath: "-e -m -s --relative-to=",
  readlink: "-f -e -m -n",
  basename: "-a -s: -z",
  dirname: "-z",
  pwd: "-P -L",
  echo: "-n -e -E",
  printf: "",
  true: "",
  false: "",
  seq: "-w -s: -f:",
  sleep: "",
  date: "-u -R -I --utc --iso-8601 --iso-8601= -d: --date=",
  whoami: "@0",
  id: "-u -g -G -n",
  uname: "-a -s -r -m -n -v -p -o @0",
  hostname: "-s -f -i @0",
  which: "-a",
  ps: "-e -f -a -u -x -l -A -o: -p: --sort= --forest @1",
  uptime: "-p -s",
  free: "-h -m -g -k -b",
  nproc: "--all",
  mkdir: "-p -v -m: --parents --verbose",
  touch: "-a -m -c",
  "git status":
    "-s -b -u -z -v --short --branch --porcelain --porcelain= --long --untracked-files --untracked-files= --ignored --show-stash",
  "git log": SHOW,
  "git diff": SHOW,
  "git show": SHOW,
  "git shortlog": "-s -n -e --since= --until= --no-merges --all",
  "git whatchanged": SHOW,
  "git blame": "-w -M -C -e -l -s -L: --porcelain --date= --since= --show-email",
  "git rev-parse":
    "--short --short= --abbrev-ref --show-toplevel --git-dir --is-inside-work-tree --verify --quiet --symbolic-full-name",
  "git rev-list":
    "-n: --count --all --max-count= --since= --until= --no-merges --first-parent --left-right",
  "git merge-base": "-a --is-ancestor --all",
  "git ls-files":
    "-c -d -m -o -s -z -t --others --exclude-standard --cached --modified --deleted --stage --error-unmatch",
  "git ls-tree": "-r -d -t -l -z --name-only --full-tree --long",
  "git describe": "--tags --always --dirty --long --all --abbrev= --match= --exact-match",
  "git branch":
    "-a -r -v --all --remotes --list --show-current --contains= --merged --no-merged --sort= --format= @0",
  "git tag": "-l -n --list --sort= --contains= --points-at= @0",
  "git remote": "-v --verbose @0",
  "git stash list": "--oneline --stat -p",
  "git reflog": "-n: --oneline --all --date= @0",
  "git grep":
    "-n -i -l -c -w -v -E -F -P -I -h -H -e: -A: -B: -C: --cached --untracked --line-number --count --name-only --heading --break",
  "git cat-file": "-t -s -e -p",
  "git worktree list": "--porcelain -v",
  "git add": "-A -u -v -n -N --all --update --dry-run --verbose --intent-to-add",
};

/** They run what the project's own files say. Whoever allows them allows that. */
export const PROJECT: Readonly<Record<string, string>> = {
  // Its hooks are the project's.
  "git commit":
    "-a -m: -v -q -s --all --message= --amend --no-edit --allow-empty --signoff --quiet --dry-run",
  "npm test": NPM,
  "npm t": NPM,
  "npm run": NPM,
  "npm run-script": NPM,
  "npm start": NPM,
  "npm ci": NPM,
  "npm install": NPM,
  "npm i": NPM,
  "npm ls": NPM,
  "npm outdated": NPM,
  "npm audit": `${NPM} --audit-level= --production`,
  "pnpm test": "-r -s --silent --recursive",
  "pnpm run": "-r -s --silent --recursive",
  "pnpm install": "--frozen-lockfile --offline --prefer-offline",
  "yarn test": "--silent -s",
  "yarn run": "--silent -s",
  "yarn build": "--silent -s",
  "yarn install": "--frozen-lockfile --immutable --offline",
  "cargo build": CARGO,
  "cargo check": CARGO,
  "cargo test": CARGO,
  "cargo clippy": CARGO,
  "cargo fmt": CARGO,
  "cargo doc": `${CARGO} --no-deps`,
  "cargo bench": CARGO,
  "cargo tree": `${CARGO} -i: -d --depth= --duplicates`,
  "go build": GO,
  "go test": GO,
  "go vet": GO,
  "go fmt": GO,
  "go list": `${GO} -m -f=`,
  "go mod tidy": "-v",
  gofmt: "-l -d -s -w",
  make: "-j: -k -s -n -B -q -i --silent --keep-going --dry-run --always-make --jobs= --no-print-directory",
  pytest: TESTS,
  jest: TESTS,
  vitest: TESTS,
  mocha: TESTS,
  tsc: "-p: -b -w --noEmit --project= --build --watch --pretty --incremental --skipLibCheck --strict --listFiles",
  eslint: LINT,
  prettier: LINT,
  biome: LINT,
  oxlint: `${LINT} --type-aware`,
  oxfmt: LINT,
  ruff: LINT,
  "ruff check": LINT,
  "ruff format": LINT,
  black: LINT,
  flake8: LINT,
  mypy: LINT,
  pyright: LINT,
  isort: LINT,
  shellcheck: "-x -s: -f: -e: -S:",
  hadolint: "",
  "dotnet build": "-c: --configuration= --no-restore -v: --nologo",
  "dotnet test": "-c: --configuration= --no-restore --no-build -v: --nologo --filter=",
  "mvn test": "-q -B -o -am -pl:",
  "mvn package": "-q -B -o -am -pl:",
  "mvn compile": "-q -B -o",
  "gradle test": "-q --offline --info --no-daemon --tests=",
  "gradle build": "-q --offline --info --no-daemon",
  "bundle install": "--quiet --local",
  rspec: TESTS,
  rubocop: "-a -A --format= --only=",
  "swift build": "-c: -v",
  "swift test": "-v --filter=",
  "mix test": "--trace --failed --stale",
  "composer install": "--no-dev --no-interaction --prefer-dist",
  phpunit: "--filter= --testdox --stop-on-failure",
  "terraform fmt": "-check -recursive -diff",
  "terraform validate": "-json -no-color",
  "docker compose ps": "-a",
};

type Value = "none" | "needed" | "attached"; // attached: it may have one, after "="
type Spec = {
  readonly letters: ReadonlyMap<string, Value>;
  readonly names: ReadonlyMap<string, Value>;
  readonly number: boolean;
  readonly apart: boolean;
  readonly operands: number;
};
const specs = new Map<string, Spec>();

function specOf(text: string): Spec {
  let spec = specs.get(text);
  if (spec) return spec;
  const words = text.split(/\s+/).filter((word) => word !== "");
  const letters = new Map<string, Value>();
  const names = new Map<string, Value>();
  for (const word of words) {
    const value = /[:=]$/.test(word) ? "needed" : "none";
    const name = word.replace(/[:=]$/, "");
    if (/^-\w$/.test(name)) letters.set(name[1] ?? "", value);
    else if (name.startsWith("-")) {
      names.set(name, (names.get(name) ?? value) === value ? value : "attached");
    }
  }
  const limit = words.find((word) => word.startsWith("@"));
  const operands = limit === undefined ? Infinity : Number(limit.slice(1));
  const [number, apart] = [words.includes("-#"), words.includes("/")];
  spec = { letters, names, number, apart, operands };
  specs.set(text, spec);
  return spec;
}

/** Whether arguments use nothing but what the list names. */
export function usesOnly(args: readonly string[], text: string): boolean {
  const spec = specOf(text);
  let operands = 0;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word === "--") return operands + args.length - at - 1 <= spec.operands;
    if (!word.startsWith("-") || word === "-") operands += 1;
    else if (spec.number && /^-\d+$/.test(word)) continue;
    else {
      const next = takesNext(word, spec);
      if (next === undefined) return false;
      // What looks like an option is not taken for a value: another version might see one.
      if (next && args[(at += 1)]?.startsWith("-") !== false) return false;
    }
  }
  return operands <= spec.operands;
}

/** Whether the next word is the value of this option; undefined: the option is not listed. */
function takesNext(word: string, { letters, names, apart }: Spec): boolean | undefined {
  const [name = ""] = word.split("=", 1);
  const known = names.get(name);
  if (known !== undefined) {
    if (word.length > name.length) return known === "none" ? undefined : false;
    return known === "needed";
  }
  if (word.startsWith("--") || (apart && word.length > 2)) return undefined;
  for (let at = 1; at < word.length; at += 1) {
    const value = letters.get(word[at] ?? "");
    if (value === undefined) return undefined;
    if (value === "needed") return at === word.length - 1; // else the rest of the word is the value
  }
  return false;
}
