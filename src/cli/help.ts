// What `quarterdeck COMMAND --help` prints. A test keeps it in step with the commands and their flags.

export const COMMAND_HELP = {
  up: `up
Starts a server and a runner, and messengers that are switched on; keeps them running and prints a link to log in
with. This is what "npm start" runs, and what "quarterdeck" alone does.`,
  serve: `serve
Serves HTTP, SSE, WebSockets and the page. Runs are executed by "work", in a process of its own.`,
  work: `work
Executes runs and keeps schedules. Any number may work on one journal. SIGTERM lets it hand its runs over first.`,
  gateway: `gateway
gateway list
gateway approve PLATFORM CODE
gateway deny|revoke PLATFORM USER
Alone it connects the messengers that are switched on; "up" starts it by itself. With a word it lists who may talk,
lets somebody in by the code they were told, refuses them, or ends it again.`,
  run: `run "PROMPT"
Runs one prompt and prints the answer; in a terminal it asks here what has to be approved.
  --session ID   go on in that session
  --json         print events, one JSON object per line
  --quiet        print the answer alone
Exit codes: 0 completed, 1 failed, 4 it needs a person, 130 stopped.`,
  terminal: `terminal
Makes this computer a text-only device: lines in, replies out, here or at another Quarterdeck.
  --url ws://…        the server (default: the one on this home)
  --peer ID           what this device is called
  --device NAME       its name for people
  --token-file FILE   the token, if it is not this home's
  --wait SECONDS      in a pipe: how long to wait for a server that is away
  --answers           lines of a pipe answer questions, too
  --verbose           say ids and connections on standard error
Exit codes: 0 answered, 1 a turn failed, 3 no server, 4 the last reply asks something, 130 stopped.`,
  attach: `attach [SESSION]
Shows a session of the running server in this terminal. Without a name it takes the one that was used last.
  --new   begin another session`,
  status: `status
Says what is running, and changes nothing. Exit code 1: nothing is.
  --json   for scripts`,
  token: `token
Prints the API token.
  --link     print a link that logs a browser in once, within a minute
  --rotate   make a new token; everybody has to log in again`,
  cron: `cron list
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
  doctor: `doctor
Looks at everything that has to be right, and says how to mend what is not. Exit code 1: there is a problem.
  --rebuild     make lists and the index of words anew, from the events
  --repair      give runs free again whose events verify
  --url URL     look whether a proxy at that address lets everything through`,
  backup: `backup FILE
Copies the journal while it is in use. Large contents and keys are not in it: docs/operations.md.`,
  restore: `restore FILE
Puts a backup in place of the journal, and keeps the journal that was there beside it. Stop everything first.`,
  migrate: `migrate --from PLACE --to PLACE
Moves a journal between a home and a Postgres, either way. The source stays as it is.
  --from DIR|URL   --to DIR|URL   a home, or postgres://…
  --from-blobs URL --to-blobs URL large contents elsewhere, e.g. s3://…
  --keep-damaged                  take along what does not verify
  --stopped-elsewhere             processes that seem to be running on other machines are stopped, I looked`,
  service: `service print | install | uninstall
Keeps Quarterdeck running by the system's own means. Nothing is started behind your back.
  --system               for the whole machine, not for you alone
  --systemd | --launchd  if not the usual one of this system
  --directory DIR        where the file goes`,
  export: `export SESSION|RUN
Writes a session or a run as one file that opens offline.
  --format html|json    a page (default), or lines for programs
  --policy share|full   without what is nobody's business (default), or everything
  --without PART        leave out tool-output, files, thinking, paths or environment; may be repeated
  --output FILE, -o     where to (default: a name of its own, here)`,
  import: `import FILE
Opens such a file as a session that is only shown.
  --again   even if it is here already`,
  replay: `replay FILE|RUN|SESSION
Plays what was recorded in this terminal; nothing is executed.
  --speed N|max   how fast (default: as it was)
  --json          print events, one JSON object per line
  --check         do it again with the recorded model and tools, and say what differs`,
  database: `database prepare | status | restored
Looks after a Postgres: makes or upgrades its tables, says what it holds, or begins a new epoch after somebody put it
back to an earlier state.
  --grant ROLE   with prepare: let that role use the tables
  --json         with status: for scripts`,
} as const;

const FOR_ALL = 'What holds for every command (--home, --database, …): "quarterdeck --help".';

export function helpOf(name: keyof typeof COMMAND_HELP): string {
  const lines = COMMAND_HELP[name].split("\n");
  const usage = lines.findIndex((line) => !line.startsWith(name));
  const shown = lines.map((line, at) => (at < usage ? `quarterdeck ${line}` : line));
  return [...shown, "", FOR_ALL].join("\n");
}
