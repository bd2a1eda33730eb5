// Statements that the database executed, but whose answer was lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { sharedPostgres } from "../../../../test/support/postgres/postgres.ts";
import { startTcpProxy } from "../../../../test/support/servers/tcp-proxy.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../contract/store.contract.ts";
import { openPostgres } from "./postgres.ts";
import { FEATURES } from "../../../features/journal-features.ts";

const HELD = 4_711;
/** Blocks a transaction that changes the fence of a run in the middle of its commit. */
const HOLD_COMMITS = `
  CREATE FUNCTION quarterdeck.held() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(${HELD}); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER held AFTER UPDATE OF fence ON quarterdeck.logs
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION quarterdeck.held();
  SELECT pg_advisory_lock(${HELD})`;
const WAITING = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${HELD} AND NOT granted`;
const CLAIMED = "SELECT 1 FROM quarterdeck.logs WHERE fence > 0";

test("[J5, X6] a claim whose answer was lost is not held by somebody who does not know of it", async () => {
  const server = await sharedPostgres();
  const url = await server.database();
  await using clients = new AsyncDisposableStack();
  clients.defer(() => server.drop(url));
  await using proxy = await startTcpProxy({ port: Number(new URL(url).port) });
  const oracle = clients.adopt(new Client(url), (client) => client.end());
  await oracle.connect();
  await using runner = await openPostgres({
    features: FEATURES,
    url: proxy.through(url),
    patienceMs: 60_000,
  });
  const runId = await s.start(runner);
  await oracle.query(HOLD_COMMITS);
  const claiming = s.claimNext(runner);
  await until(async () => (await oracle.query(WAITING)).rowCount, "the claim to be committed");
  proxy.cut("no replies");
  await oracle.query(`SELECT pg_advisory_unlock(${HELD})`);
  await until(async () => (await oracle.query(CLAIMED)).rowCount, "a claim that nobody is told");
  proxy.cut("reset");
  proxy.heal();

  assert.equal((await claiming)?.runId, runId);
});
