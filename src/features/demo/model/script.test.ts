import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseScript } from "./script.ts";
import { TOUR } from "./tour.ts";
import { toTurns, type Turn } from "./turns.ts";

const TOOLS = new Set(
  "read write edit append search_files list_files exec web_fetch clarify plan delegate todo memory".split(
    " ",
  ),
);

function turnsOf(script: string, tools: ReadonlySet<string> = TOOLS): readonly Turn[] {
  const directives = parseScript(script);
  assert.ok(directives, "not a script");
  return toTurns(directives, tools);
}

function callsOf(script: string): unknown[] {
  return turnsOf(script).map(({ calls }) => calls.map(({ name, args }) => ({ [name]: args })));
}

test("[design 13] every tool directive makes the call its tool expects", () => {
  const cases: Record<string, Record<string, unknown>> = {
    "read a/b.txt": { read: { path: "a/b.txt" } },
    [String.raw`write a.md # A\n\ntext`]: { write: { path: "a.md", content: "# A\n\ntext" } },
    [String.raw`append a.md more\n`]: { append: { path: "a.md", content: "more\n" } },
    [String.raw`edit a.md | old\nlines | new  words`]: {
      edit: { path: "a.md", old_text: "old\nlines", new_text: "new  words" },
    },
    "edit a.md | a||b | c": { edit: { path: "a.md", old_text: "a||b", new_text: "c" } },
    "search TODO|FIXME in it": { search_files: { pattern: "TODO|FIXME in it" } },
    "list src/web": { list_files: { path: "src/web" } },
    "background npm run dev": { exec: { command: "npm run dev", background: true } },
    "fetch http://127.0.0.1:1/a?b": { web_fetch: { url: "http://127.0.0.1:1/a?b" } },
    "remember Tabs, not spaces": {
      memory: { action: "add", target: "memory", text: "Tabs, not spaces" },
    },
    "exec ls -la | wc -l; date": { exec: { command: "ls -la | wc -l; date" } },
    "clarify Which one?": { clarify: { question: "Which one?" } },
    "clarify Which one? | red | blue": {
      clarify: { question: "Which one?", choices: ["red", "blue"] },
    },
    "plan Trip; pack; go": { plan: { action: "create", goal: "Trip", steps: ["pack", "go"] } },
    "plan done": { plan: { action: "complete" } },
    "todo buy milk; drink it": {
      todo: {
        items: [
          { id: "1", content: "buy milk", status: "pending" },
          { id: "2", content: "drink it", status: "pending" },
        ],
      },
    },
    "delegate Scout: think hm ;; say a: b": {
      delegate: { title: "Scout", prompt: "think hm\nsay a: b" },
    },
    "delegate Scout: just words": { delegate: { title: "Scout", prompt: "say just words" } },
  };
  for (const [line, call] of Object.entries(cases)) assert.deepEqual(callsOf(line), [[call], []]);
});

test("[design 13] each call ends a turn, calls between together and end share one", () => {
  assert.deepEqual(callsOf("read a\nread b\ntogether\nread c\nread d\nend\nread e"), [
    [{ read: { path: "a" } }],
    [{ read: { path: "b" } }],
    [{ read: { path: "c" } }, { read: { path: "d" } }],
    [{ read: { path: "e" } }],
    [],
  ]);
});

test("[design 13] a step is done when the next one starts, or the plan or the script ends", () => {
  const started = (index: number) => ({ plan: { action: "step_started", index } });
  const completed = (index: number) => ({ plan: { action: "step_completed", index } });

  assert.deepEqual(callsOf("step 1\nread a\nread b\nstep 2\nstep 3\nsay bye"), [
    [started(1)],
    [{ read: { path: "a" } }],
    [{ read: { path: "b" } }],
    [completed(1), started(2)],
    [completed(2), started(3)],
    [completed(3)],
    [],
  ]);
  assert.deepEqual(callsOf("together\nstep 1\nread a\nend\nplan done"), [
    [started(1), { read: { path: "a" } }],
    [completed(1), { plan: { action: "complete" } }],
    [],
  ]);
  const closing = turnsOf("step 1\nsay bye").at(-1)?.beats;
  assert.deepEqual(closing, [{ kind: "say", text: "bye", pace: undefined }]);
});

test("[design 13] pace holds until it is changed, across turns", () => {
  const turns = turnsOf("say a\npace 5\nsay b\nread x\nsay c\npace 0\ncount 3");
  const paces = turns.map(({ pace, beats }) => [pace, ...beats.map((beat) => beat.pace)]);
  assert.deepEqual(paces, [
    [undefined, undefined, 5],
    [5, 5, 0],
  ]);
});

test("[design 13] a line it cannot follow and a tool that is missing are said, not skipped", () => {
  const [turn, ...rest] = turnsOf("say a\ndance wildly\ncount many\nread x\nexec ls", new Set());
  assert.deepEqual(rest, []);
  assert.deepEqual(
    turn?.beats.map((beat) => beat.kind === "say" && beat.text),
    [
      "a",
      "I do not know how to follow this line: dance wildly",
      "I do not know how to follow this line: count many",
      "There is no tool called read here, so I skip this step.",
      "There is no tool called exec here, so I skip this step.",
    ],
  );
});

test("[design 13] text whose first line is no directive is a prompt, not a script", () => {
  for (const prompt of [
    "",
    "hello",
    "Say hi",
    "read the docs please",
    "plan my day",
    "list the open questions",
    "fetch me a coffee",
    "edit this page please",
    "append it",
    "__proto__ x",
  ]) {
    assert.equal(parseScript(prompt), undefined);
  }
  assert.ok(parseScript("\n\n  say hi"));
});

test("[design 13] the tour shows everything, in less than a minute, with time to kill the runner", () => {
  const turns = toTurns(TOUR, TOOLS);
  const seconds = turns.flatMap(({ beats }) =>
    beats.map((beat) => {
      assert.ok(beat.kind !== "count");
      return (beat.text.split(/\s+/).length * (beat.pace ?? 25)) / 1000;
    }),
  );
  const total = seconds.reduce((sum, time) => sum + time, 0);

  assert.ok(total > 15 && total < 45, `${total} s`);
  assert.ok(Math.max(...seconds) > 10);
  assert.deepEqual(
    new Set(turns.flatMap(({ calls }) => calls.map(({ name }) => name))),
    new Set(["plan", "write", "read", "clarify", "delegate", "exec"]),
  );
  assert.ok(TOUR.every(({ kind }) => kind !== "unknown"));
  assert.equal(
    turns.filter(({ calls }) => calls.filter(({ name }) => name === "delegate").length === 2)
      .length,
    1,
  );
});

test("[design 13] the sample in the documentation is a script without unknown lines", () => {
  const page = readFileSync(new URL("../../../../docs/demo-model.md", import.meta.url), "utf8");
  const sample = /```\n(.+?)```/s.exec(page)?.[1] ?? "";
  assert.ok(parseScript(sample)?.every(({ kind }) => kind !== "unknown"));
});
