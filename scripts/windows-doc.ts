// Writes docs/windows.md: which frames every event becomes in every window, computed by running the recorded sessions
// through the dialects' tables. `node scripts/windows-doc.ts`, then commit it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DialectRoute } from "../src/kernel/dialect/window-doc.ts";
import { DIALECT_ROUTES } from "../src/windows/all.ts";
import { EVENT_TYPES } from "../src/kernel/events/events.ts";
import { SAMPLES } from "../test/support/recordings/sample-events.ts";
import {
  readRecordings,
  rootRuns,
  type AnyEvent,
} from "../test/support/recordings/session-recordings.ts";
import { emit, TELLERS, windowsOn, type Teller } from "../test/support/recordings/emitted.ts";

const ROOT = join(import.meta.dirname, "..");
export const TARGET = join(ROOT, "docs/windows.md");

const INTRO = `# Windows

Everything that shows a run is a window on its journal. The page and \`quarterdeck attach\` read the journal's own events (PROTOCOL.md, \`/api/sessions/{id}/events\`). The windows
below speak the protocols of other systems, so that clients written for those work unmodified: each is a folder in \`src/windows\` with a table from events to frames (\`wire\`) and its
routes. \`node scripts/windows-doc.ts\` generates this page from those tables, and a test compares it.

## What holds for every window
`;

const OPENING = `## How to open one

Every route needs the token that \`quarterdeck token\` prints, as \`Authorization: Bearer …\` (our own page has a login instead, PROTOCOL.md A2); sockets check it before the handshake. Only the terminal
channel also accepts it in its \`connect\`, within five seconds, or as the password of its address (\`ws://device:TOKEN@host/…\`). With \`--no-auth\` (loopback only) no token is needed.

\`\`\`sh
# qd is quarterdeck, or in a checkout the README's alias
T=$(qd token); U=http://127.0.0.1:8730; W=ws://127.0.0.1:8730
\`\`\`
`;

const COMMANDS = `## Commands as messages

In every window a message can be a command: \`/compress\`, \`/retry\`, \`/undo\`, \`/branch\`, \`/goal …\`, \`/queue …\`, \`/steer …\`, \`/stop\`, \`/title …\`, \`/model …\`, \`/profile …\`, \`/help\` (PROTOCOL.md C20). They are
executed where messages are admitted, once per message id, also while a run is active. The answer names the run that the command became; any other command is answered by a run that ends at once, whose only text says what was
done. The message has to name its session (in \`/v1/chat/completions\` with \`X-Hermes-Session-Id\`). An unknown \`/word\` stays text. In the terminal channel and in messengers \`/model\` and \`/profile\` are refused;
\`GET /api/commands\` lists the commands.
`;

const TABLE = `## Events and frames

The frames that an event becomes, in the recorded sessions of \`test/journals/sessions\`; a dot means that it is not emitted. For events of subagents see above. In the column of \`/v1/responses\`
every name begins with \`response.\`.

`;

/** Frames by event type and dialect; "own": events of the session and of runs that people started. */
type Kinds = Map<string, Set<string>>;
type Emitted = { readonly own: Kinds; readonly subagents: Kinds };

function kindsOf(teller: Teller, sessions: readonly (readonly AnyEvent[])[]): Emitted {
  const emitted: Emitted = { own: new Map(), subagents: new Map() };
  for (const events of sessions) {
    const own = new Set([...rootRuns(events), events[0]?.session_id]);
    for (const { event, frame } of windowsOn(teller, events).flatMap((all) => emit(teller, all))) {
      const kinds = own.has(event.run_id) ? emitted.own : emitted.subagents;
      const known = kinds.get(event.type) ?? new Set();
      kinds.set(event.type, known.add(teller.kind(frame)));
    }
  }
  return emitted;
}

const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

function table(emitted: ReadonlyMap<Teller, Emitted>, types: readonly string[]): string {
  const names = TELLERS.map(({ text }) => text.title);
  const lines = types.map((type) =>
    row([
      `\`${type}\``,
      ...TELLERS.map((teller) => {
        const kinds = [...(emitted.get(teller)?.own.get(type) ?? [])].toSorted();
        return kinds.map((kind) => kind.replace(/^response\./, "")).join(", ") || "·";
      }),
    ]),
  );
  return [row(["event", ...names]), row(["event", ...names].map(() => "---")), ...lines].join("\n");
}

/** Which recorded events of subagents' runs a dialect emits. */
function subagentsIn({ subagents }: Emitted, recorded: ReadonlySet<string>): string {
  const list = (types: readonly string[]) => types.map((type) => `\`${type}\``).join(", ");
  const emitted = [...subagents.keys()].toSorted();
  const missing = [...recorded.difference(subagents)].toSorted();
  if (missing.length === 0) return "all";
  return missing.length < emitted.length ? `all but ${list(missing)}` : list(emitted) || "none";
}

function recordedOfSubagents(sessions: readonly (readonly AnyEvent[])[]): Set<string> {
  return new Set(
    sessions.flatMap((events) => {
      const own = new Set([...rootRuns(events), events[0]?.session_id]);
      return events.filter(({ run_id }) => !own.has(run_id)).map(({ type }) => type);
    }),
  );
}

function rules(): string {
  const protocol = readFileSync(join(ROOT, "PROTOCOL.md"), "utf8");
  return (protocol.match(/^- \*\*W\d+[a-z]?\*\* .+$/gm) ?? []).join("\n");
}

function windowSection(teller: Teller, emitted: Emitted, recorded: ReadonlySet<string>): string {
  const { title, shows, open, degrades } = teller.text;
  const ofSubagents = `Events of subagents' runs that it emits: ${subagentsIn(emitted, recorded)}.`;
  return [
    `### ${title}`,
    `${shows} Dialect: \`${teller.name}\`.`,
    `\`\`\`sh\n${open}\n\`\`\``,
    "What its protocol cannot express, and what it emits instead:",
    [...degrades, ofSubagents].map((line) => `- ${line}`).join("\n"),
  ].join("\n\n");
}

function routes(title: string, list: readonly DialectRoute[]): string {
  const lines = list.map(({ method, path, summary }) => row([`${method} \`${path}\``, summary]));
  return [`### ${title}`, "", row(["route", "what it does"]), row(["---", "---"]), ...lines].join(
    "\n",
  );
}

export function windowsDoc(): string {
  const sessions = [...readRecordings().map(({ events }) => events), SAMPLES];
  const emitted = new Map(TELLERS.map((teller) => [teller, kindsOf(teller, sessions)]));
  const recorded = recordedOfSubagents(sessions);
  const known = new Set(EVENT_TYPES);
  const foreign = new Set(sessions.flat().map(({ type }) => type)).difference(known);
  const parts = [
    INTRO + rules(),
    COMMANDS,
    OPENING,
    ...TELLERS.map((teller) => windowSection(teller, emitted.get(teller) as Emitted, recorded)),
    TABLE + table(emitted, EVENT_TYPES),
    `Types that this build does not know, from a recording:\n\n${table(emitted, [...foreign].toSorted())}`,
    "## Routes",
    ...Object.entries(DIALECT_ROUTES).map(([title, list]) => routes(title, list)),
  ];
  return `${parts.map((part) => part.trim()).join("\n\n")}\n`;
}

if (import.meta.main) {
  writeFileSync(TARGET, windowsDoc());
  console.log("wrote docs/windows.md");
}
