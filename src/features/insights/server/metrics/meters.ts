// The numbers and their names. No label holds what a person wrote: routes are patterns, providers a short list.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { isTerminal, RUN_STATUSES } from "../../../../kernel/state/run/status.ts";
import { VERSION } from "../../../../kernel/events/version.ts";
import type { Emitted } from "./journal-figures.ts";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const REQUEST = ["method", "route", "status"];

export type Here = {
  readonly streams: number;
  readonly sockets: number;
  readonly followed: number;
};

export function createMeters() {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `quarterdeck_${name}`, help, labelNames, registers });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `quarterdeck_${name}_total`, help, labelNames, registers });
  const seconds = (name: string, help: string) =>
    new Histogram({ name: `quarterdeck_${name}_seconds`, help, buckets: SECONDS, registers });

  gauge("build_info", "1, with the version.", ["version"]).set({ version: VERSION }, 1);
  const connections = gauge("open_connections", "Open streams and sockets.", ["kind"]);
  const followed = gauge("followed_logs", "Logs that somebody follows here.");
  const away = gauge("database_away", "1 while the database does not answer.");
  const fromJournal = journalMeters(gauge, counter);
  return {
    register,
    requests: counter("http_requests", "Requests that were answered.", REQUEST),
    requestSeconds: seconds("http_request", "Until a request was answered, streams left out."),
    commandSeconds: seconds("command", "Until a command was durable in the journal."),
    /** Undefined: the database is away, and what it last said is not told again as if it were true. */
    set(here: Here, emitted: Emitted | undefined): void {
      connections.set({ kind: "stream" }, here.streams);
      connections.set({ kind: "socket" }, here.sockets);
      followed.set(here.followed);
      away.set(emitted ? 0 : 1);
      fromJournal(emitted);
    },
  };
}

type NewGauge = (name: string, help: string, labels?: string[]) => Gauge;
type NewCounter = (name: string, help: string, labels?: string[]) => Counter;

function journalMeters(
  gauge: NewGauge,
  counter: NewCounter,
): (emitted: Emitted | undefined) => void {
  const events = counter("events", "Events of runs in the journal.");
  const open = gauge("open_runs", "Runs that have not ended.", ["status"]);
  const queued = gauge("unclaimed_runs", "Open runs that no runner has.");
  const pending = gauge("pending_requests", "Approvals and questions that wait for a person.");
  const runners = gauge("runners", "Runners that are alive.");
  const uncounted = gauge("uncounted_runs", "Runs of an earlier release not counted yet.");
  const byProvider = providerMeters(counter);
  const all = [events, open, queued, pending, runners, uncounted];
  return (emitted) => {
    for (const meter of all) meter.reset();
    byProvider(emitted?.byProvider ?? new Map());
    if (!emitted) {
      for (const meter of all) meter.remove({});
      return;
    }
    events.inc(emitted.events);
    for (const status of RUN_STATUSES) {
      if (!isTerminal(status)) open.set({ status }, emitted.open[status] ?? 0);
    }
    queued.set(emitted.unclaimed);
    pending.set(emitted.pending);
    runners.set(emitted.runners);
    uncounted.set(emitted.uncounted);
  };
}

function providerMeters(counter: NewCounter): (sums: Emitted["byProvider"]) => void {
  const named = (name: string, help: string, ...more: string[]) =>
    counter(name, help, ["provider", ...more]);
  const calls = named("model_calls", "Calls of models that were answered.");
  const unpriced = named("model_unpriced_calls", "Of them those of which nobody knows the price.");
  const errors = named("model_errors", "Calls of models that failed.");
  const tokens = named("model_tokens", "Tokens.", "type");
  const cost = named("model_cost_usd", "Dollars, of the calls with a price.");
  const tools = named("tool_calls", "Calls of tools.", "outcome");
  const runs = named("runs", "Runs that ended.", "status");
  const all = [calls, unpriced, errors, tokens, cost, tools, runs];
  return (sums) => {
    for (const meter of all) meter.reset();
    for (const [provider, sum] of sums) {
      calls.inc({ provider }, sum.model_calls);
      unpriced.inc({ provider }, sum.unpriced_calls);
      errors.inc({ provider }, sum.model_errors);
      tokens.inc({ provider, type: "input" }, sum.input_tokens);
      tokens.inc({ provider, type: "output" }, sum.output_tokens);
      cost.inc({ provider }, sum.cost_usd);
      tools.inc({ provider, outcome: "failed" }, sum.tool_failures);
      tools.inc({ provider, outcome: "other" }, sum.tool_calls - sum.tool_failures);
      const { runs: ended, failed_runs: failed, cancelled_runs: cancelled } = sum;
      runs.inc({ provider, status: "failed" }, failed);
      runs.inc({ provider, status: "cancelled" }, cancelled);
      runs.inc({ provider, status: "completed" }, ended - failed - cancelled);
    }
  };
}
