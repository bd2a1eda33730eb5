// R65–R93: the inventory of runtime state, and the acceptance catalogue.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as page from "../../support/windows/webui.ts";
import { has, inside, only, row } from "./checks.ts";
import { contextOf, ofType, record, textOf, type Fields, type Recorded } from "./record.ts";
import type { RunsRow } from "./world.ts";

const messagesOf = (run: Recorded) => page.messagesIn(run.browser);
const reasoningOf = (emitted: readonly page.Emitted[]) =>
  page
    .eventsNamed(emitted, "reasoning")
    .map(({ text }) => text)
    .join("");

const INVENTORY: readonly RunsRow[] = [
  row(65, "Partial text is rebuilt by replay.", ({ full }) => {
    assert.equal(page.textOf(full.browser), textOf(full.events));
    assert.match(textOf(full.events), /^I look first\..*All done\.$/s);
  }),
  row(66, "Reasoning is rebuilt by replay, also of a run that was stopped in it.", (world) => {
    const { midway, browser, events } = world.stoppedThought;
    const thought = reasoningOf(browser);
    assert.ok(thought.startsWith(reasoningOf(midway)) && thought.startsWith("one"));
    const journaled = ofType(events, "reasoning.delta").map(({ delta }) => delta);
    assert.equal(journaled.join(""), thought);
  }),
  row(67, "Tool cards are rebuilt by replay: one card per call, opened and closed.", ({ full }) => {
    const ids = (name: string) => page.eventsNamed(full.browser, name).map(({ tid }) => tid);
    assert.equal(ids("tool").length, 3);
    assert.deepEqual(ids("tool_complete"), ids("tool"));
  }),
  row(68, "A pending approval survives restarts of the server and of the runner.", ({ killed }) => {
    const { parked, survivor } = killed;
    const id = parked.asked["pending_approval_id"];
    assert.deepEqual(
      [survivor.found.asked["pending_approval_id"], parked.after.asked["pending_approval_id"]],
      [id, id],
    );
    assert.deepEqual(parked.runs[0]?.status["status"], "completed");
  }),
  row(69, "A pending question survives restarts of the server and of the runner.", ({ killed }) => {
    const { parked, survivor } = killed;
    const id = parked.question["pending_clarify_id"];
    assert.deepEqual(
      [survivor.found.question["pending_clarify_id"], parked.after.question["pending_clarify_id"]],
      [id, id],
    );
    assert.equal(only(ofType(parked.runs[1]?.events ?? [], "clarify.resolved"))["response"], "a");
  }),
  row(70, "A run's profile is in its request, not in the server's environment.", (world) => {
    const { context, full } = world;
    const profileOf = (run: Recorded) => ofType(run.events, "run.started")[0]?.["profile"];
    assert.deepEqual([profileOf(context.run), profileOf(full)], ["red", "default"]);
  }),
  row(71, "A reopened session finds its active run after a restart.", ({ killed }) => {
    const { found, run } = killed.survivor;
    assert.deepEqual([found.session["active_run_id"], found.status["status"]], [run.id, "running"]);
  }),
  row(72, "Titles are journaled events.", ({ talk }) => {
    const emitted = talk.first.events.find(({ type }) => type === "title.updated");
    has(emitted, { event_id: "text", seq: "number" });
  }),
  row(73, "Usage is journaled events, and their sum is the run's.", ({ full }) => {
    const parts = ofType(full.events, "usage.updated").map(({ total_tokens }) =>
      Number(total_tokens),
    );
    const sum = parts.reduce((all, part) => all + part, 0);
    assert.ok(sum > 0);
    assert.equal(inside(full.events.at(-1)?.payload, "usage")["total_tokens"], sum);
  }),
  row(74, "The server lists the commands.", ({ commands }) => {
    const names = commands.list.body.commands.map(({ name }) => name);
    for (const name of ["compress", "branch", "retry", "undo", "goal", "queue", "stop"]) {
      assert.ok(names.includes(name), name);
    }
  }),
  row(75, "Spoken input keeps its source and metadata.", ({ context }) => {
    const { source, metadata } = only(ofType(context.run.events, "run.queued"));
    assert.deepEqual([source, metadata], ["voice", { transcript_confidence: 0.9 }]);
  }),
  row(76, "Project and workspace are part of the run's context.", ({ context }) => {
    const { workspace, project } = only(ofType(context.run.events, "run.queued"));
    assert.equal(workspace, context.folder);
    assert.equal((project as Fields)["name"], "The ship");
  }),
];

const RECOVERY: readonly RunsRow[] = [
  row(77, "Replay from a cursor repeats no transcript, tool or reasoning state.", async (world) => {
    const { full, server } = world;
    const half = full.browser[Math.floor(full.browser.length / 2)];
    const { emitted } = await page.watchChat(server, full.id, { after: half?.id });
    assert.deepEqual(emitted, full.browser.slice(full.browser.indexOf(half as page.Emitted) + 1));
  }),
  row(
    78,
    "Terminal replay duplicates nothing in the transcript.",
    ({ full, failed, stoppedTool }) => {
      for (const { browser } of [full, failed, stoppedTool]) {
        const ids = browser.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length);
      }
      const said = messagesOf(full);
      assert.deepEqual(said.filter((line) => line === "assistant: All done.").length, 1);
    },
  ),
  row(79, "An interrupted run says so clearly.", ({ killed }) => {
    const { browser } = killed.expired;
    const warned = page.eventsNamed(browser, "warning").map(({ type }) => type);
    assert.deepEqual(warned, ["paused", "recovery"]);
    const end = browser.at(-2);
    assert.deepEqual(
      [end?.event, end?.data["type"], end?.data["terminal_state"]],
      ["apperror", "interrupted", "interrupted-by-crash"],
    );
    has(end?.data, { message: "text", hint: "text" });
  }),
  row(80, "While nobody executes it, a run does not pretend to go on.", ({ killed }) => {
    assert.equal(killed.paused["status"], "paused");
    assert.equal(killed.pausedView["lifecycle"], "paused");
    assert.equal(killed.warned.at(-1)?.data["message"], "Paused: waiting for a runner.");
  }),
  row(
    81,
    "Execution survives a restart of the web server, and controls still work.",
    ({ killed }) => {
      const { found, grown, stop, run } = killed.survivor;
      assert.ok(Number(grown["seq"]) > Number(found.status["seq"]));
      assert.deepEqual([stop.body["cancelled"], run.status["status"]], [true, "cancelled"]);
    },
  ),
  row(
    82,
    "Cancel during a tool call: one cancelled end, and nothing is written behind it.",
    (world) => {
      const { browser, late } = world.stoppedTool;
      assert.equal(page.eventsNamed(browser, "cancel").length, 1);
      assert.equal(late, "");
      assert.equal(existsSync(join(world.place.workspace, "late")), false);
    },
  ),
  row(
    83,
    "Cancel during reasoning: what was thought is kept, and it is no provider's error.",
    (world) => {
      const { browser } = world.stoppedThought;
      assert.deepEqual(page.eventsNamed(browser, "apperror"), []);
      assert.equal(browser.at(-2)?.data["terminal_state"], "interrupted-by-user");
      const session = browser.at(-2)?.data["session"] as { messages: Fields[] };
      assert.match(String(session.messages.at(-1)?.["reasoning"]), /^one/);
    },
  ),
  row(84, "An approval, its answer and what followed are replayable.", ({ full }) => {
    assert.equal(page.eventsNamed(full.browser, "approval").length, 1);
    assert.equal(only(contextOf(full.browser, "approval.resolved"))["choice"], "once");
  }),
  row(85, "A question, its answer and what followed are replayable.", ({ full }) => {
    assert.equal(page.eventsNamed(full.browser, "clarify").length, 1);
    assert.equal(only(contextOf(full.browser, "clarify.resolved"))["response"], "left");
  }),
];

const CONTEXT: readonly RunsRow[] = [
  row(86, "Slash commands work as messages, in every window alike.", ({ commands }) => {
    const { undone, compressed, retried, unknown, send, v1, native, queued, stopped } = commands;
    assert.equal(undone.said, "The newest exchange is left out.");
    assert.ok(page.eventsNamed(compressed.browser, "compressed").length === 1);
    assert.equal(retried.status["prompt"], "one");
    assert.equal(unknown.status["prompt"], "/deploy now", "an unknown word is said to the model");
    assert.deepEqual([send.said, native.said], ["Renamed: By the console", "No goal is set."]);
    assert.match(String(v1.said), /^The branch is open as session sess_/);
    assert.match(JSON.stringify(commands.completion.body), /\/compress \[what to keep\]/);
    assert.deepEqual(
      [stopped.said, commands.cancelled.status["status"]],
      ["Stopping.", "cancelled"],
    );
    assert.equal(queued.status["result"], "Queued.");
    assert.doesNotMatch(commands.emitted, /\/undo|\/title|The newest exchange/, "no model is told");
  }),
  row(87, "A switch of the model in a session reaches the right model.", ({ talk }) => {
    assert.deepEqual(talk.asked.slice(-2), ["agent", "other"]);
  }),
  row(88, "A run has its session's workspace and attachments.", ({ context }) => {
    const [read] = ofType(context.run.events, "tool.done");
    assert.equal(inside(read, "output")["head"], "Vega\n");
    const { attachments } = only(ofType(context.run.events, "message.user"));
    assert.deepEqual((attachments as Fields[])[0]?.["name"], "clip.webm");
  }),
  row(89, "Profiles are isolated: prompt and memory are their own.", ({ profiles }) => {
    assert.match(profiles["red"] ?? "", /You are red\..*the sail is red/s);
    assert.match(profiles["blue"] ?? "", /You are blue\..*the sail is blue/s);
    assert.doesNotMatch(profiles["red"] ?? "", /blue/);
    assert.doesNotMatch(profiles["default"] ?? "", /the sail is/);
  }),
  row(90, "Input during a live run is queued behind it.", ({ line }) => {
    const [first, second] = line.runs.map(({ events }) => events);
    const at = (events: Recorded["events"], type: string) =>
      Number(events.find((event) => event.type === type)?.["session_seq"]);
    assert.ok(at(line.first.events, "done") < at(first ?? [], "run.started"));
    assert.ok(at(first ?? [], "done") < at(second ?? [], "run.started"));
  }),
  row(91, "A goal is judged after the turn, and the judgement is an event.", ({ goal }) => {
    assert.equal(only(ofType(goal.run.events, "goal.decided"))["decision"], "met");
    assert.ok(page.eventsNamed(goal.run.browser, "goal").length > 0);
  }),
  row(
    92,
    "Spoken input starts the same run, with the same events and controls.",
    ({ context, full }) => {
      const names = new Set(full.browser.map(({ event }) => event));
      const spoken = context.run.browser.map(({ event }) => event);
      assert.deepEqual(spoken.slice(-2), ["done", "stream_end"]);
      for (const name of ["context_status", "tool", "tool_complete", "token"]) {
        assert.ok(spoken.includes(name) && names.has(name), name);
      }
      assert.ok((context.v1.body["active_controls"] as string[]).includes("cancel"));
    },
  ),
  row(93, "Project metadata stays as it was in a replay.", async ({ context, server }) => {
    const [emitted] = contextOf((await record(server, context.run.id)).browser, "run.queued");
    assert.deepEqual(inside(emitted, "project")["metadata"], { masts: 3 });
  }),
];

export const RUNS_INVENTORY: readonly RunsRow[] = [...INVENTORY, ...RECOVERY, ...CONTEXT];
