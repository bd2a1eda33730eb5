// R140–R154: the runner's slice, the document's two gates and its open questions.
import assert from "node:assert/strict";
import { readEvents } from "../../support/http.ts";
import * as page from "../../support/windows/webui.ts";
import { has, inside, only, row } from "./checks.ts";
import { ofType, statusOf, textOf, type Fields } from "./record.ts";
import type { RunsRow } from "./world.ts";

const terminals = (events: readonly { terminal: boolean }[]) =>
  events.filter(({ terminal }) => terminal).length;

const SLICE_4: readonly RunsRow[] = [
  row(
    140,
    "Backends are chosen by a flag; `runner-local` without a runner is refused.",
    ({ full }) => {
      assert.equal(full.starts.started.status, 200, "the server was started with runner-local set");
      assert.equal(full.status["status"], "completed");
    },
    "There is one backend: runners of their own beside the journal. `HERMES_WEBUI_RUNTIME_ADAPTER` is not read, so there is nothing to switch back to and no 501.",
  ),
  row(141, "4.2: the runner owns execution: a run goes on while no server lives.", ({ killed }) => {
    const { found, before } = killed.survivor;
    const seen = before.at(-1)?.seq ?? 0;
    assert.ok(Number(found.status["seq"]) > seen, "more was journaled than any server had told");
  }),
  row(
    142,
    "4.4: after a restart the run is found, and replay catches up from the cursor.",
    ({ killed }) => {
      const { before, caught, run } = killed.survivor;
      const ids = [...before, ...caught].map(({ id }) => id);
      assert.deepEqual(
        ids,
        run.browser.slice(0, ids.length).map(({ id }) => id),
      );
      assert.equal(new Set(ids).size, ids.length);
    },
  ),
  row(
    143,
    "4.5: approval, clarify and cancel work after restarts, in the same shapes.",
    ({ killed }) => {
      const [approved, answered] = killed.parked.answers;
      assert.deepEqual(approved?.body, { ok: true, choice: "once" });
      assert.deepEqual(answered?.body, { ok: true, response: "a" });
      assert.deepEqual(Object.keys(killed.survivor.stop.body).toSorted(), [
        "cancelled",
        "ok",
        "stream_id",
      ]);
    },
  ),
  row(144, "4.6: context is an explicit payload of the run.", ({ context }) => {
    const kinds = { workspace: "text", profile: "text", model: "text", toolsets: "list" };
    const queued = only(ofType(context.run.events, "run.queued"));
    has(queued, { ...kinds, source: "text", metadata: "object" });
  }),
  row(
    145,
    "4f: run ids and the way from session to run are durable.",
    async ({ killed, server }) => {
      const { run, found } = killed.survivor;
      assert.equal(found.session["session_id"], "k-survivor");
      assert.equal((await statusOf(server, run.id))["session_id"], "k-survivor");
    },
  ),
  row(146, "4f: the JSON boundary has the browser's event names and payloads.", ({ full }) => {
    const names = full.polled.map(({ event }) => event);
    assert.deepEqual(
      names,
      full.browser.map(({ event }) => event),
    );
    const token = full.polled.find(({ event }) => event === "token");
    assert.deepEqual(token?.["payload"], full.browser.find(({ event }) => event === "token")?.data);
  }),
  row(147, "4f: what a run cannot take is answered in bounds.", async ({ full, server }) => {
    const answer = await page.ask(
      server,
      "POST",
      `/v1/runs/${full.id}/clarifications/cl_gone/respond`,
      { response: "x" },
    );
    assert.deepEqual(
      [answer.status, (answer.body["error"] as Fields)["code"]],
      [404, "request_not_found"],
    );
    const bad = await page.ask(server, "POST", `/v1/runs/${full.id}/approval`, {
      choice: "perhaps",
    });
    assert.equal(bad.status, 400);
  }),
  row(
    148,
    "No runtime state in the web server's globals.",
    ({ killed }) => {
      const { stop, run } = killed.survivor;
      assert.equal(stop.body["cancelled"], true, "stopped by a server that never saw it start");
      assert.equal(run.status["status"], "cancelled");
    },
    "A rule about another code base's source. What it is for is executed: a fresh server answers, controls and replays runs it knows only from the journal.",
  ),
  row(
    149,
    "Reverting needs no deletion of data.",
    async ({ full, server }) => {
      const { frames } = await readEvents(server, `/api/runs/${full.id}/events`);
      assert.deepEqual(frames, full.frames, "byte for byte, by another server process");
    },
    "There is no flag to revert (R140). What was journaled by one process is read unchanged by the next.",
  ),
];

const GATES: readonly RunsRow[] = [
  row(150, "`done` has the session as it is, with its title.", ({ talk }) => {
    const titles = [talk.first, talk.second, talk.renamed].map(({ browser }) => {
      const [done] = page.eventsNamed(browser, "done");
      return inside(done, "session")["title"];
    });
    assert.deepEqual(titles, ["A fine title", "A fine title", "By hand"]);
  }),
  row(
    151,
    "Journal gate: cursors are stable, and tool, reasoning and end are rebuilt without duplicates.",
    async (world) => {
      const { full, server } = world;
      const again = await page.watchChat(server, full.id);
      assert.deepEqual(again.emitted, full.browser);
      assert.deepEqual(full.live[0], full.browser, "live and replayed are the same");
    },
  ),
  row(
    152,
    "Restart gate: the run goes on, is found, caught up with and can be stopped.",
    ({ killed }) => {
      const { run } = killed.survivor;
      assert.equal(terminals(run.events), 1);
      assert.equal(page.textOf(run.browser), textOf(run.events), "nothing twice, nothing lost");
      assert.deepEqual(ofType(run.events, "recovery"), [], "its runner never noticed");
    },
  ),
  row(153, "Secrets are redacted before anything is persisted.", (world) => {
    const { events, browser, v1, polled, status } = world.secret;
    const everything = JSON.stringify([events, browser, v1, polled, status]);
    assert.ok(!everything.includes(world.key));
    assert.match(everything, /\[redacted:QUARTERDECK_API_KEY\]/);
  }),
  row(
    154,
    "How long a terminal run can be replayed.",
    async ({ failed, server }) => {
      const { emitted } = await page.watchChat(server, failed.id);
      assert.deepEqual(emitted, failed.browser);
    },
    "The document leaves it open. Runs are kept and can be replayed for ever; deleting a session takes it out of the lists and destroys nothing.",
  ),
];

export const RUNS_RUNNER_SLICES: readonly RunsRow[] = [...SLICE_4, ...GATES];
