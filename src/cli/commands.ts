// Every command: the one list that knows all of them. Each is loaded when it is asked for. A test keeps the help in step
// with the flags.
type Listed = {
  readonly room?: string; // that it goes with
  /** It draws a screen, and handles its errors itself. */
  readonly draws?: true;
  /** Words it takes after its name. One more is a slip that must not be passed over: `token rotate` is not `token`. */
  readonly words: number;
  /** Its line in `--help`. */
  readonly line: string;
  /** What `COMMAND --help` prints. */
  readonly help: string;
};

export const COMMANDS = {
  up: {
    words: 0,
    line: `start everything and print the link to open (what "npm start" runs)`,
    help: `up
Starts a server and a runner, and messengers that are switched on; keeps them running and prints a link to log in
with. This is what "npm start" runs, and what "quarterdeck" alone does.`,
    load: () => import("./up.ts"),
  },
  serve: {
    words: 0,
    line: `HTTP, SSE and the web page only`,
    help: `serve
Serves HTTP, SSE, WebSockets and the page. Runs are executed by "work", in a process of its own.`,
    load: () => import("./serve.ts"),
  },
  work: {
    words: 0,
    line: `a runner only`,
    help: `work
Executes runs and keeps schedules. Any number may work on one journal. SIGTERM lets it hand its runs over first.`,
    load: () => import("./work.ts"),
  },
  gateway: {
    room: "features/messengers",
    words: 3,
    line: `messengers only                           gateway | gateway list | approve PLATFORM CODE | deny|revoke PLATFORM USER`,
    help: `gateway
gateway list
gateway approve PLATFORM CODE
gateway deny|revoke PLATFORM USER
Alone it connects the messengers that are switched on; "up" starts it by itself. With a word it lists who may talk,
lets somebody in by the code they were told, refuses them, or ends it again.`,
    load: () => import("../features/messengers/cli/gateway.ts"),
  },
  run: {
    words: Infinity,
    line: `run one prompt and print the answer       run "prompt" [--json | --quiet] [--session ID]`,
    help: `run "PROMPT"
Runs one prompt and prints the answer; in a terminal it asks here what has to be approved.
  --session ID   go on in that session
  --json         print events, one JSON object per line
  --quiet        print the answer alone
Exit codes: 0 completed, 1 failed, 4 it needs a person, 130 stopped.`,
    load: () => import("./run.ts"),
  },
  terminal: {
    room: "windows/terminal",
    draws: true,
    words: Infinity,
    line: `a text-only device: lines in, replies out terminal [--answers] [--url ws://…] [--peer ID] [--device NAME]`,
    help: `terminal
Makes this computer a text-only device: lines in, replies out, here or at another Quarterdeck.
  --url ws://…        the server (default: the one on this home)
  --peer ID           what this device is called
  --device NAME       its name for people
  --token-file FILE   the token, if it is not this home's
  --wait SECONDS      in a pipe: how long to wait for a server that is away
  --answers           lines of a pipe answer questions, too
  --verbose           say ids and connections on standard error
Exit codes: 0 answered, 1 a turn failed, 3 no server, 4 the last reply asks something, 130 stopped.`,
    load: () => import("./terminal.ts"),
  },
  attach: {
    draws: true,
    words: 1,
    line: `a session in this terminal               attach [SESSION | --new]`,
    help: `attach [SESSION]
Shows a session of the running server in this terminal. Without a name it takes the one that was used last.
  --new   begin another session`,
    load: () => import("./attach.ts"),
  },
  status: {
    words: 0,
    line: `what is running                           status [--json]`,
    help: `status
Says what is running, and changes nothing. Exit code 1: nothing is.
  --json   for scripts`,
    load: () => import("./status.ts"),
  },
  token: {
    words: 0,
    line: `the API token                             token [--link | --rotate]`,
    help: `token
Prints the API token.
  --link     print a link that logs a browser in once, within a minute
  --rotate   make a new token; everybody has to log in again`,
    load: () => import("./token.ts"),
  },
  cron: {
    room: "features/schedules",
    words: Infinity,
    line: `schedules                                 cron list | add "0 9 * * *" "prompt" | run|pause|resume|remove ID`,
    help: `cron list
cron add "SCHEDULE" "PROMPT"
cron run|pause|resume|remove ID
Schedules: "0 9 * * *", "every 30m" and what else docs/schedules.md has. Nothing has to be running.
  --name NAME         otherwise as the prompt begins
  --zone ZONE         the time zone, e.g. Europe/Berlin (default: this computer's)
  --deliver WHERE     where the answer goes, e.g. telegram
  --session HOW       new each time, own (always its own), or the id of one
  --overlap HOW       what happens while the run before still goes: skip, queue or start
  --catch-up HOW      what happens with missed times: none, last or all
  --model NAME        --profile NAME   --skill NAME (may be repeated)
  --allow-risky       take a prompt that reads like an attack
  --json              list as JSON`,
    load: () => import("../features/schedules/cli/cron.ts"),
  },
  doctor: {
    words: 0,
    line: `check this installation                   doctor [--rebuild] [--repair]`,
    help: `doctor
Looks at everything that has to be right, and says how to mend what is not. Exit code 1: there is a problem.
  --rebuild     make lists and the index of words anew, from the events
  --repair      give runs free again whose events verify
  --url URL     look whether a proxy at that address lets everything through`,
    load: () => import("./doctor/doctor.ts"),
  },
  backup: {
    words: 1,
    line: `copy the journal while it is in use       backup FILE`,
    help: `backup FILE
Copies the journal while it is in use. Large contents and keys are not in it: docs/operations.md.`,
    load: () => import("./backup.ts"),
  },
  restore: {
    words: 1,
    line: `put a backup in place of the journal      restore FILE`,
    help: `restore FILE
Puts a backup in place of the journal, and keeps the journal that was there beside it. Stop everything first.`,
    load: () => import("./restore.ts"),
  },
  migrate: {
    words: 0,
    line: `move the journal to or from Postgres      migrate --from DIR|URL --to DIR|URL`,
    help: `migrate --from PLACE --to PLACE
Moves a journal between a home and a Postgres, either way. The source stays as it is.
  --from DIR|URL   --to DIR|URL   a home, or postgres://…
  --from-blobs URL --to-blobs URL large contents elsewhere, e.g. s3://…
  --keep-damaged                  take along what does not verify
  --stopped-elsewhere             processes that seem to be running on other machines are stopped, I looked`,
    load: () => import("./migrate.ts"),
  },
  service: {
    words: 1,
    line: `keep it running (systemd, launchd)        service print | install | uninstall [--system]`,
    help: `service print | install | uninstall
Keeps Quarterdeck running by the system's own means. Nothing is started behind your back.
  --system               for the whole machine, not for you alone
  --systemd | --launchd  if not the usual one of this system
  --directory DIR        where the file goes`,
    load: () => import("./service/service.ts"),
  },
  export: {
    room: "features/share",
    words: 1,
    line: `a session or run as one file             export SESSION|RUN [--format html|json] [--policy share|full] [--without PART] [-o FILE]`,
    help: `export SESSION|RUN
Writes a session or a run as one file that opens offline.
  --format html|json    a page (default), or lines for programs
  --policy share|full   without what is nobody's business (default), or everything
  --without PART        leave out tool-output, files, thinking, paths or environment; may be repeated
  --output FILE, -o     where to (default: a name of its own, here)`,
    load: () => import("../features/share/cli/export.ts"),
  },
  import: {
    room: "features/share",
    words: 1,
    line: `open such a file as a session            import FILE [--again]`,
    help: `import FILE
Opens such a file as a session that is only shown.
  --again   even if it is here already`,
    load: () => import("../features/share/cli/import.ts"),
  },
  replay: {
    room: "features/replay",
    words: 1,
    line: `play it here, or do it again to compare  replay FILE|RUN [--speed 4|max] [--json] | replay --check FILE|RUN`,
    help: `replay FILE|RUN|SESSION
Plays what was recorded in this terminal; nothing is executed.
  --speed N|max   how fast (default: as it was)
  --json          print events, one JSON object per line
  --check         do it again with the recorded model and tools, and say what differs`,
    load: () => import("../features/replay/cli.ts"),
  },
  database: {
    words: Infinity,
    line: `look after a Postgres                     database prepare [--grant ROLE] | status [--json] | restored`,
    help: `database prepare | status | restored
Looks after a Postgres: makes or upgrades its tables, says what it holds, or begins a new epoch after somebody put it
back to an earlier state.
  --grant ROLE   with prepare: let that role use the tables
  --json         with status: for scripts`,
    load: () => import("./database.ts"),
  },
} as const satisfies Readonly<Record<string, Listed & { load: () => Promise<object> }>>;
export type CommandName = keyof typeof COMMANDS;

const FOR_ALL = 'What holds for every command (--home, --database, …): "quarterdeck --help".';

export function drawsScreen(name: CommandName): boolean {
  const { draws }: Listed = COMMANDS[name];
  return draws ?? false;
}

export function helpOf(name: CommandName): string {
  const lines = COMMANDS[name].help.split("\n");
  const usage = lines.findIndex((line) => !line.startsWith(name));
  const shown = lines.map((line, at) => (at < usage ? `quarterdeck ${line}` : line));
  return [...shown, "", FOR_ALL].join("\n");
}
