// What a run may do with its own background processes: list, read, write and end them. A process of another run is
// unknown.
import { number, plainText, record, text } from "../host/call-input.ts";
import { RUN_MARK } from "../sandbox/environment.ts";
import type { ToolResult } from "../host/frames.ts";
import { RING_BYTES, type Process } from "./processes.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

const PAGE_BYTES = 64 * 1024;
const TAIL_BYTES = 16 * 1024;
const MAX_WAITING = 1 << 20; // bytes a process has not read yet

type Action = (fields: Record<string, unknown>, call: ToolCall) => Promise<ToolResult>;

const ACTIONS: Readonly<Record<string, Action>> = {
  list: async (_fields, call) => ({ ok: true, processes: ownProcesses(call).map(summary) }),
  log: async (fields, call) => page(find(fields, call), fields),
  input: async (fields, call) => write(find(fields, call), fields, call),
  async kill(fields, call) {
    const process = find(fields, call);
    await process.stop();
    return { ok: true, ...summary(process) };
  },
  /** For the runner's own pipes, which are no business of the model's. */
  async close(fields, call) {
    await call.processes.find(plainText(fields, "process_id"))?.stop();
    return { ok: true };
  },
  /** The run has ended: so have its processes, and their logs go with them. */
  async kill_all(_fields, call) {
    const all = ownProcesses(call);
    await Promise.all(all.map((process) => process.stop()));
    for (const process of all) call.processes.forget(process);
    return { ok: true, processes: all.map(summary) };
  },
};

export async function processTool(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const action = ACTIONS[text(fields, "action")];
  if (!action) throw new ToolError("invalid_request", "unknown action");
  return action(fields, call);
}

function ownProcesses(call: ToolCall): Process[] {
  return call.processes.of(call.marks[RUN_MARK] ?? "");
}

function find(fields: Record<string, unknown>, call: ToolCall): Process {
  const id = plainText(fields, "process_id");
  const found = ownProcesses(call).find((process) => process.id === id);
  if (!found) throw new ToolError("not_found", `There is no process ${id} in this run`);
  return found;
}

function summary({ id, shown, startedAt, log, exit }: Process): ToolResult {
  return {
    process_id: id,
    command: shown,
    running: exit === undefined,
    exit_code: exit?.exit_code ?? null,
    signal: exit?.signal ?? null,
    ...(exit?.limit && { limit: exit.limit }),
    age_ms: Math.round(performance.now() - startedAt),
    output_bytes: log.total,
  };
}

function page(process: Process, fields: Record<string, unknown>): ToolResult {
  const { log } = process;
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true };
  const tail = number(fields, "tail", { ...range, fallback: TAIL_BYTES, max: PAGE_BYTES });
  const from = number(fields, "offset", { ...range, fallback: Math.max(0, log.total - tail) });
  const part = log.slice(from, fields["offset"] === undefined ? tail : PAGE_BYTES);
  const next = part.from + part.bytes.length;
  return {
    ok: true,
    ...summary(process),
    text: part.bytes.toString("utf8").toWellFormed(),
    offset: part.from,
    next_offset: next,
    truncated: next < log.total || part.from > from,
    kept_bytes: Math.min(log.total, RING_BYTES),
  };
}

function write(process: Process, fields: Record<string, unknown>, call: ToolCall): ToolResult {
  const data = fields["data"] === undefined ? "" : text(fields, "data");
  const { stdin } = process;
  if (process.exit || !stdin?.writable) {
    throw new ToolError("invalid_request", `${process.id} takes no more input`);
  }
  if (stdin.writableLength + data.length > MAX_WAITING) {
    throw new ToolError("too_large", `${process.id} has not read its earlier input yet`);
  }
  call.begin();
  stdin.write(data);
  if (fields["close"] === true) stdin.end();
  return { ok: true, ...summary(process), written_bytes: Buffer.byteLength(data) };
}
