// H45 to H52: what the backend acknowledges.
import assert from "node:assert/strict";
import { everyFrame, of } from "./frames.ts";
import type { Fields, HudFrame, World } from "./world.ts";
import type { Row } from "../suite.ts";

const received = (frames: readonly HudFrame[], subtype: string) => {
  const [frame] = of(frames, "received", { subtype });
  assert.ok(frame, subtype);
  return { label: frame["label"], payload: frame["payload"] as Fields };
};

export const RECEIVED_ROWS: readonly Row<World>[] = [
  {
    id: "H45",
    says: "`received` has a subtype, a label and perhaps a payload, and no end.",
    difference:
      "There are subtypes beside the document's seven (`approval`, `settings`, …): a client shows their label.",
    check: (world) => {
      const all = of(everyFrame(world), "received");
      for (const { subtype, label, payload } of all) {
        assert.ok(typeof subtype === "string" && typeof label === "string" && label !== "");
        assert.equal(typeof (payload ?? {}), "object");
      }
      assert.ok(all.every((frame) => !("correlationId" in frame)));
      assert.ok(all.some(({ subtype }) => subtype === "approval"));
    },
  },
  {
    id: "H46",
    says: "`new_session` acknowledges a reset, with the previous agent in its payload.",
    difference:
      "A session is never reset: `new_session` is the first event of a new one, emitted there, with its title, agent, model, workspace and source. There is no previous agent.",
    check: ({ asked }) => {
      const { label, payload } = received(asked, "new_session");
      assert.equal(label, "new session");
      assert.deepEqual(Object.keys(payload), ["title", "agent", "model", "workspace", "source"]);
      assert.equal(asked[0]?.["subtype"], "new_session");
    },
  },
  {
    id: "H47",
    says: "`agent_switch` has the label `switch → x` and the payload from and to.",
    check: ({ recorded }) => {
      const { label, payload } = received(recorded.settings, "agent_switch");
      assert.equal(label, "switch → scripted/other");
      assert.partialDeepStrictEqual(payload, { from: "scripted/agent", to: "scripted/other" });
    },
  },
  {
    id: "H48",
    says: "`stop` has the label `stop received — aborting turn` and the state the agent was in.",
    check: ({ stopped }) => {
      const { label, payload } = received(stopped, "stop");
      assert.equal(label, "stop received — aborting turn");
      assert.match(String(payload["state"]), /^AGENT_[A-Z_]+$/);
    },
  },
  {
    id: "H49",
    says: "`kill` acknowledges that something is killed.",
    difference:
      "It reports a background command that was ended, which is all that can be killed here; its payload names the signal.",
    check: ({ live }) => {
      const { label, payload } = received(live, "kill");
      assert.match(String(label), /^kill: p_\w+ ended by SIGTERM$/);
      assert.equal(payload["signal"], "SIGTERM");
    },
  },
  {
    id: "H50",
    says: "`handover` acknowledges that the work is handed over.",
    difference:
      "It reports that another runner continues the run, or that a plan was handed back to the person.",
    check: ({ recorded }) => {
      assert.ok(received(recorded.crash, "handover").label);
      assert.match(JSON.stringify(received(recorded.plan, "handover")), /not mine to make/);
    },
  },
  {
    id: "H51",
    says: "`reconnect` has the label `reconnected — replaying history` and the session's key.",
    difference:
      "It is also emitted at a first connection to a session with a history, because the server remembers no client.",
    check: ({ again, work, asked }) => {
      const [first] = again;
      assert.equal(first?.["subtype"], "reconnect");
      assert.equal(first["label"], "reconnected — replaying history");
      assert.deepEqual(first["payload"], { sessionKey: work });
      assert.deepEqual(of(asked, "received", { subtype: "reconnect" }), []);
    },
  },
  {
    id: "H52",
    says: "`message` has the label `message received` and a preview of the text.",
    check: ({ live }) => {
      const { label, payload } = received(live, "message");
      assert.equal(label, "message received");
      assert.equal(payload["preview"], "Do the work.");
    },
  },
];
