// Terminals belong to a session that somebody works in: real shells, real sockets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalPlace, terminalWindow } from "../../../../test/support/windows/pty-place.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";

test("[PT1c, C16] terminals of a session that is deleted are closed, and one that is opened there brings it back", async () => {
  await using place = await terminalPlace();
  const { journal } = place;
  const { terminal_id } = await place.open();
  const window = await terminalWindow(place.socketUrl(terminal_id));
  await window.emitted("caught_up");
  await journal.commands.updateSession("s1", { deleted: true });
  assert.equal((await window.emitted("closed")).reason, "person");
  await until(() => place.notes.some(({ what }) => what === "closed"), "the audit");

  const again = await place.open();
  assert.equal((await journal.reads.sessionSummary("s1"))?.deleted, false);
  const beside = await terminalWindow(place.socketUrl(again.terminal_id));
  await beside.emitted("caught_up");
  assert.deepEqual(place.errors, []);
});

test("[PT1d, Y6] there is no terminal in a session that was imported", async () => {
  await using place = await terminalPlace();
  const defaults = { ...s.DEFAULTS, workspace: place.workspace };
  const request = { title: "From elsewhere", from: s.FROM, again: false };
  const { session_id } = await place.journal.commands.importSession(request, defaults);
  const { error } = await place.call(`/api/sessions/${session_id ?? ""}/terminals`, {});
  assert.equal((error as { code: string }).code, "forbidden");
  assert.deepEqual(place.notes, []);
});
