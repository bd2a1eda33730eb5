import assert from "node:assert/strict";
import { test } from "node:test";
import { canBecome, CONTROLS, controlsIn, isTerminal, RUN_STATUSES } from "./status.ts";
import { statusDraft } from "./status-draft.ts";

const TERMINAL = ["cancelled", "failed", "completed", "expired"];

test("[E7] exactly the four ends are terminal, and nothing follows them", () => {
  assert.deepEqual(RUN_STATUSES.filter(isTerminal), TERMINAL);
  for (const from of RUN_STATUSES) {
    const next = RUN_STATUSES.filter((to) => canBecome(from, to));
    assert.equal(next.length === 0, TERMINAL.includes(from));
    assert.ok(!next.includes(from), `${from} follows itself`);
  }
});

test("[E7] every status can be reached, and every live one can end", () => {
  const reached = new Set(["queued"]);
  for (let size = 0; size !== reached.size;) {
    size = reached.size;
    for (const from of RUN_STATUSES) {
      if (reached.has(from))
        for (const to of RUN_STATUSES) if (canBecome(from, to)) reached.add(to);
    }
  }
  assert.deepEqual([...reached].toSorted(), [...RUN_STATUSES].toSorted());
  for (const from of RUN_STATUSES) {
    if (!isTerminal(from))
      assert.ok(RUN_STATUSES.some((to) => canBecome(from, to) && isTerminal(to)));
  }
});

test("[C4] whatever goes on can be cancelled, once", () => {
  for (const status of RUN_STATUSES) {
    const controls = controlsIn(status);
    const live = !isTerminal(status) && status !== "cancelling";
    assert.equal(controls.includes("cancel"), live, status);
    assert.equal(canBecome(status, "cancelling"), live, status);
    assert.equal(controls.includes("start"), isTerminal(status), status);
  }
});

test("[C5] an answer is offered only where it is awaited", () => {
  for (const status of RUN_STATUSES) {
    assert.equal(controlsIn(status).includes("approval"), status === "awaiting_approval");
    assert.equal(controlsIn(status).includes("clarify"), status === "awaiting_clarify");
    assert.ok(controlsIn(status).every((control) => CONTROLS.includes(control)));
  }
});

test("[C1] a status draft names the controls of its status, as a copy of its own", () => {
  const draft = statusDraft("running", "why");
  assert.deepEqual(draft.payload, {
    status: "running",
    reason: "why",
    controls: controlsIn("running"),
  });
  assert.notEqual(controlsIn("running"), controlsIn("running"));
});
