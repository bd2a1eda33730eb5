// Processes that die: a server in the middle of a run, then every runner. Played last, because it replaces both.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../support/until.ts";
import { startServe, startWork, type Lone, type LoneServer } from "../../support/processes.ts";
import type { TestHome } from "../../support/program.ts";
import * as page from "../../support/windows/webui.ts";
import * as r from "./record.ts";

const SLOW = "pace 15\ncount 4000";

export type Processes = { serve: LoneServer; work: Lone };

/** Replaces what it kills in `processes`. */
export async function kills(place: TestHome, processes: Processes) {
  const server = () => processes.serve;
  const start = async (session: string, script: string) =>
    (await page.startChat(server(), session, script)).stream_id;
  const approval = await start("k-approval", "pace 0\nexec echo ran >> ledger\nsay After.");
  const clarify = await start("k-clarify", "pace 0\nclarify Which? | a | b\nsay After.");
  const asked = await r.untilStatus(server(), approval, "awaiting_approval");
  const question = await r.untilStatus(server(), clarify, "awaiting_clarify");

  const survivor = await start("k-survivor", SLOW);
  const before = await page.watchChat(server(), survivor, { take: 30 });
  await processes.serve[Symbol.asyncDispose](); // kill -9
  processes.serve = await startServe(place);
  const found = {
    session: await r.sessionOf(server(), "k-survivor"),
    status: await r.statusOf(server(), survivor),
    asked: await r.statusOf(server(), approval),
    question: await r.statusOf(server(), clarify),
  };
  const grown = await until(async () => {
    const status = await r.statusOf(server(), survivor);
    return Number(status["seq"]) > Number(found.status["seq"]) + 5 ? status : undefined;
  }, "the run to go on");
  const reached = before.emitted.at(-1);
  const caught = await page.watchChat(server(), survivor, { after: reached?.id, take: 20 });
  const stop = await page.ask(server(), "POST", "/api/chat/cancel", { stream_id: survivor });
  await page.followChat(server, survivor);
  const ended = await r.record(server(), survivor);
  return {
    survivor: { before: before.emitted, found, grown, caught: caught.emitted, stop, run: ended },
    ...(await withoutRunner(place, processes, { approval, clarify, asked, question })),
  };
}

/** Other settings for the processes that are started from now on. */
function setUp({ home }: TestHome, settings: object): void {
  const path = join(home, "config.json");
  const config = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...config, ...settings }));
}

type Parked = { approval: string; clarify: string; asked: r.Fields; question: r.Fields };

async function withoutRunner(place: TestHome, processes: Processes, parked: Parked) {
  const server = processes.serve;
  const start = async (session: string) => (await page.startChat(server, session, SLOW)).stream_id;
  await processes.work[Symbol.asyncDispose](); // kill -9
  setUp(place, { lease_ms: 1_500, resume_max_age_s: 1 }); // a run's age counts from its last lease
  processes.work = await startWork(place);
  const [stopped, expired] = [await start("k-stopped"), await start("k-expired")];
  for (const id of [stopped, expired]) await page.watchChat(server, id, { take: 10 });
  await processes.work[Symbol.asyncDispose](); // kill -9
  const paused = await r.untilStatus(server, expired, "paused");
  const pausedView = await r.viewOf(server, expired);
  const warned = await page.watchChat(server, expired, {
    until: ({ event, data }) => event === "warning" && data["type"] === "paused",
  });
  await r.untilStatus(server, stopped, "paused");
  await page.ask(server, "POST", "/api/chat/cancel", { stream_id: stopped });
  await page.followChat(() => server, stopped);
  const cancelled = await r.record(server, stopped);
  await until(() => Date.now() / 1_000 - Number(paused["updated_at"]) > 3, "its age");
  setUp(place, { lease_ms: 8_000, resume_max_age_s: 1 });
  processes.work = await startWork(place);
  await page.followChat(() => server, expired);
  const after = {
    asked: await r.statusOf(server, parked.approval),
    question: await r.statusOf(server, parked.clarify),
  };
  const answers = [
    await page.ask(server, "POST", "/api/approval/respond", {
      session_id: "k-approval",
      choice: "once",
      approval_id: parked.asked["pending_approval_id"],
    }),
    await page.ask(server, "POST", "/api/clarify/respond", {
      session_id: "k-clarify",
      response: "a",
      clarify_id: parked.question["pending_clarify_id"],
    }),
  ];
  for (const id of [parked.approval, parked.clarify]) await page.followChat(() => server, id);
  return {
    paused,
    pausedView,
    warned: warned.emitted,
    cancelled,
    expired: await r.record(server, expired),
    parked: {
      ...parked,
      after,
      answers,
      runs: [await r.record(server, parked.approval), await r.record(server, parked.clarify)],
    },
  };
}
