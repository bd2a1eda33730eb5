import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionRecord } from "../../kernel/client/records.ts";
import { nextSession } from "./next-session.ts";
import { isUnread, withSeen, type Seen } from "./seen.ts";
import { listRows, merged, titleHas, type ListOptions } from "./sessions/list.ts";
import { ago, subtitleOf } from "./subtitle.ts";

const NOON = new Date(2026, 4, 20, 12).getTime();
const HOURS = 3_600;

/** `hours`: how long ago, at noon. */
function session(id: string, hours: number, more: Partial<SessionRecord> = {}): SessionRecord {
  const at = NOON / 1_000 - hours * HOURS;
  return {
    session_id: id,
    seq: 5,
    title: id,
    source: "web",
    workspace: "/w",
    model: "demo/demo",
    profile: "default",
    parent_session_id: null,
    project_id: null,
    yolo: false,
    title_source: "prompt",
    goal: null,
    active_run_id: null,
    active_status: null,
    pending: 0,
    pinned: false,
    activity: null,
    last_status: "completed",
    created_at: at,
    updated_at: at,
    ...more,
  };
}
const OPTIONS: ListOptions = { now: NOON, projects: [], folded: new Set(), keep: () => false };
const words = (sessions: readonly SessionRecord[], options: Partial<ListOptions> = {}) =>
  listRows(sessions, { ...OPTIONS, ...options }).map((row) =>
    row.kind === "head" ? `# ${row.text}` : `${"  ".repeat(row.depth)}${row.key}`,
  );

test("[UX] what is pinned comes first, then today, yesterday and earlier", () => {
  const sessions = [
    session("a", 1),
    session("b", 14),
    session("c", 40),
    session("d", 41, { pinned: true }),
    session("e", 36.5),
  ];
  assert.deepEqual(words(sessions), [
    "# Pinned",
    "d",
    "# Today",
    "a",
    "# Yesterday",
    "b",
    "# Earlier",
    "e",
    "c",
  ]);
  assert.deepEqual(words([]), []);
});

test("[UX] where there are projects they are the groups, the one last used first", () => {
  const projects = [
    { project_id: "p", name: "Ship" },
    { project_id: "q", name: "Empty" },
  ];
  const sessions = [
    session("a", 3),
    session("b", 2, { project_id: "p" }),
    session("c", 9, { project_id: "p" }),
    session("d", 1, { project_id: "gone" }),
  ];
  assert.deepEqual(words(sessions, { projects }), ["# No project", "d", "a", "# Ship", "b", "c"]);
});

test("[UX] branches stand beneath the session they left, which is as new as the newest of them", () => {
  const branch = (id: string, hours: number, parent: string, more = {}) =>
    session(id, hours, { parent_session_id: parent, ...more });
  const sessions = [
    session("root", 50),
    session("other", 2),
    branch("one", 40, "root"),
    branch("two", 1, "one"),
    branch("lost", 3, "not listed"),
    branch("kept", 60, "root", { pinned: true }),
  ];
  const whole = ["# Pinned", "kept", "# Today", "root", "  one", "    two", "other", "lost"];
  assert.deepEqual(words(sessions), whole);
  const folded = new Set(["root"]);
  assert.deepEqual(words(sessions, { folded }), [
    "# Pinned",
    "kept",
    "# Today",
    "root",
    "other",
    "lost",
  ]);
  const keep = ({ session_id }: SessionRecord) => session_id === "two";
  assert.ok(words(sessions, { folded, keep }).includes("    two"), "what needs somebody is shown");
  const circle = [branch("x", 1, "y"), branch("y", 1, "x")];
  assert.doesNotThrow(() => words(circle));
});

test("[UX] several lists are one, newest first, and of two records the first counts", () => {
  const all = merged([session("a", 5, { title: "new" })], [session("b", 1), session("a", 9)]);
  assert.deepEqual(
    all.map(({ session_id, title }) => [session_id, title]),
    [
      ["b", "b"],
      ["a", "new"],
    ],
  );
  assert.ok(titleHas("Über den Fluß", "uber DEN"));
  assert.ok(!titleHas("abc", "abd"));
});

test("[UX] unread is what ended or waits after it was last on the screen", () => {
  const seen: Seen = { since: NOON / 1_000 - 2 * HOURS, seqs: { s: 5 } };
  assert.equal(isUnread(seen, session("s", 0)), false);
  assert.equal(isUnread(seen, session("s", 0, { seq: 6 })), true);
  const running = { seq: 6, active_status: "running" } as const;
  assert.equal(isUnread(seen, session("s", 0, running)), false, "its subtitle tells");
  assert.equal(isUnread(seen, session("s", 0, { ...running, pending: 1 })), true);
  assert.equal(isUnread(seen, session("new", 1)), true);
  assert.equal(isUnread(seen, session("old", 3)), false, "was there before this browser");
  const marked = withSeen(seen, "s", -1);
  assert.equal(isUnread(marked, session("s", 0)), true);
  assert.equal(isUnread(withSeen(marked, "s", 6), session("s", 0, { seq: 6 })), false);
  const seqs = Object.fromEntries(Array.from({ length: 2_050 }, (_, at) => [`id${at}`, 1]));
  const many = withSeen({ ...seen, seqs }, "last", 1);
  assert.equal(Object.keys(many.seqs).length, 2_000);
  assert.deepEqual([many.seqs["id0"], many.seqs["id2049"], many.seqs["last"]], [undefined, 1, 1]);
});

test("[UX] next and previous go round the list, and from nowhere to its nearer end", () => {
  const rows = listRows([session("a", 1), session("b", 2), session("c", 3)], OPTIONS);
  const from = (current: string | null, step: 1 | -1, among?: (each: SessionRecord) => boolean) =>
    nextSession(rows, { current, step, ...(among && { among }) });
  assert.deepEqual([from("a", 1), from("c", 1), from("a", -1)], ["b", "a", "c"]);
  assert.deepEqual([from(null, 1), from(null, -1)], ["a", "c"]);
  const onlyC = ({ session_id }: SessionRecord) => session_id === "c";
  assert.equal(from("a", 1, onlyC), "c");
  assert.equal(from("c", 1, onlyC), null, "there is no other");
  assert.equal(nextSession([], { current: null, step: 1 }), null);
});

test("[UX] a subtitle says what is done now, else how it ended", () => {
  const activity = { text: "running tests\u202e", since: 7 };
  const busy = session("s", 0, { active_status: "running", activity });
  assert.deepEqual(subtitleOf(busy), {
    status: "running",
    text: "running tests\\u{202e}",
    since: 7,
  });
  const asks = session("s", 0, { pending: 1, activity: { text: "waiting for you", since: 9 } });
  assert.equal(subtitleOf(asks).status, "needs-you");
  assert.equal(subtitleOf(session("s", 0, { last_status: "failed" })).text, "Failed");
  assert.equal(subtitleOf(session("s", 0, { last_status: null })).text, "Nothing yet");
  assert.equal(subtitleOf(session("s", 0, { active_status: "queued" })).text, "Queued");
  assert.deepEqual(
    [3, 9.9, 10, 59.9, 60, 130, 7_300, 90_000].map((seconds) => ago(0, seconds * 1_000)),
    [null, null, "10 s", "59 s", "1 m", "2 m", "2 h", "1 d"],
  );
});
