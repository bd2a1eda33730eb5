// Processes that outlive the call that started them: background commands, and pipes to a program that the runner
// talks to. Each belongs to a run and ends with it, on request, or with this host.
import { randomUUID } from "node:crypto";
import { relayOutput } from "./child-output.ts";
import { startCommand, stopCommand, type Command, type CommandSpec } from "./command.ts";
import { RUN_MARK } from "../sandbox/environment.ts";
import type { SendFrame } from "../host/frame-writer.ts";
import type { LimitName, OutputStream, ProcessExit } from "../host/frames.ts";
import { liveOutput } from "./live-output.ts";
import { createOutputRing, type OutputRing } from "./output-ring.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

export const RING_BYTES = 256 * 1024;
const MAX_RUNNING = 16;
const MAX_PIPES = 64;
const MAX_ENDED = 32;
const STDERR_BYTES = 4_096;

export type Process = {
  readonly id: string;
  readonly marker: string;
  readonly shown: string;
  readonly startedAt: number;
  readonly stdin: Command["stdin"];
  readonly log: OutputRing;
  exit: ProcessExit | undefined;
  readonly gone: Promise<void>;
  /** TERM, then KILL; settles when nothing of it is left. */
  stop(): Promise<void>;
};
export type ProcessSpec = CommandSpec & {
  /** A pipe's standard output is passed on as it comes, under this id; there is no log of it. */
  readonly pipeId?: string;
  /** Chosen by the runner, which finds the process's host by it again. */
  readonly id?: string;
  readonly shown: string;
};
export type Processes = {
  start(spec: ProcessSpec, call: ToolCall): Promise<Process>;
  /** Of this run, in the order they were started. */
  of(marker: string): Process[];
  find(id: string): Process | undefined;
  forget(process: Process): void;
};

type Running = { readonly process: Process; readonly pipe: boolean };

export function createProcesses(send: SendFrame): Processes {
  const all = new Map<string, Running>();

  function makeRoom(marker: string, pipe: boolean): void {
    const alike = [...all.values()].filter(
      (one) => one.pipe === pipe && (pipe || one.process.marker === marker),
    );
    const running = alike.filter(({ process }) => !process.exit);
    const most = pipe ? MAX_PIPES : MAX_RUNNING;
    if (running.length >= most) {
      throw new ToolError("spawn_failed", `${most} processes run already: end one of them first`);
    }
    const ended = alike.filter(({ process }) => process.exit);
    for (const { process } of ended.slice(0, -MAX_ENDED)) all.delete(process.id);
  }

  return {
    async start(spec, call) {
      const marker = call.marks[RUN_MARK] ?? "";
      const pipe = spec.pipeId !== undefined;
      makeRoom(marker, pipe);
      const taken = all.has(spec.pipeId ?? spec.id ?? "");
      if (taken) throw new ToolError("invalid_request", "There is a process of that id");
      const process = await begin(spec, call, { marker, send });
      all.set(process.id, { process, pipe });
      if (pipe) void process.gone.then(() => all.delete(process.id));
      return process;
    },
    of: (marker) =>
      [...all.values()].flatMap(({ process, pipe }) =>
        !pipe && process.marker === marker ? [process] : [],
      ),
    find: (id) => all.get(id)?.process,
    forget: ({ id }) => void all.delete(id),
  };
}

async function begin(
  spec: ProcessSpec,
  call: ToolCall,
  { marker, send }: { marker: string; send: SendFrame },
): Promise<Process> {
  const id = spec.pipeId ?? spec.id ?? `p_${randomUUID().slice(0, 8)}`;
  const log = createOutputRing(RING_BYTES);
  const live = liveOutput(log, ({ offset, total, data }) =>
    send({ kind: "log", id, marker, offset, total, data: data.toString("base64") }),
  );
  const command = await startCommand(spec, call);
  const watch = call.watch(command.group, call.marks);
  const output = relayOutput(command.streams, (stream: OutputStream, data: Buffer) => {
    if (spec.pipeId !== undefined && stream === "stdout") {
      return send({ kind: "output", id, stream, data });
    }
    log.add(data);
    if (spec.pipeId === undefined) live.printed();
    return Promise.resolve();
  });
  const asked = Promise.withResolvers<"asked">();

  const untilGone = async (): Promise<void> => {
    const how = await Promise.race([
      command.exit.then(() => "gone" as const),
      asked.promise,
      watch.exceeded,
    ]);
    const stopHow = how === "gone" ? "gone" : how === "asked" ? "stop" : "kill";
    await stopCommand({ ...command, output }, stopHow, call);
    await watch.end();
    if (spec.pipeId === undefined) await live.finish();
    const limit: LimitName | undefined = how === "gone" || how === "asked" ? undefined : how;
    process.exit = await exitOf(command, log, { pipe: spec.pipeId !== undefined, limit });
    await send({ kind: "process", id, marker, exit: process.exit });
  };

  const process: Process = {
    id,
    marker,
    shown: spec.shown,
    startedAt: performance.now(),
    stdin: command.stdin,
    log,
    exit: undefined,
    gone: Promise.resolve().then(untilGone),
    async stop() {
      asked.resolve("asked");
      await process.gone;
    },
  };
  return process;
}

async function exitOf(
  command: Command,
  log: OutputRing,
  { pipe, limit }: { pipe: boolean; limit: LimitName | undefined },
): Promise<ProcessExit> {
  const { code, signal } = await command.exit;
  const stderr = pipe ? log.slice(log.total - STDERR_BYTES, STDERR_BYTES).bytes.toString() : "";
  return { exit_code: code, signal, stderr, ...(limit && { limit }) };
}
