// Journals the output and the end of background commands as they happen. Secrets are redacted first, also when they
// arrive in pieces; after an omission nothing is shown that could be the rest of one.
import { StringDecoder } from "node:string_decoder";
import type { Redacting, Redactor } from "../../redact/redact.ts";
import type { Draft } from "../../events/events.ts";
import { isTerminal } from "../../state/run/status.ts";
import type { RunLog } from "../../run/loop/run-log.ts";
import type { HostProcessExit, HostProcessOutput } from "./tool-host/client.ts";

export type ProcessEvents = {
  exited(exit: HostProcessExit): void;
  /** Settles when the journal has room for more: until then the tool host is not read (B4). */
  printed(output: HostProcessOutput): Promise<void>;
  journalTo(log: RunLog): void;
};

const EARLY_PIECES = 8; // before the journal knows of the process; older ones become a gap

export function processEvents(): ProcessEvents {
  let log: RunLog | undefined;
  let followed = new Map<string, Followed>();
  const follow = (id: string) => {
    if (!log) return undefined;
    const known = followed.get(id) ?? followProcess(id, log);
    followed.set(id, known);
    return known;
  };
  return {
    journalTo(opened) {
      log = opened;
      followed = new Map();
    },
    async printed(output) {
      await follow(output.processId)?.printed(output);
    },
    exited(exit) {
      follow(exit.processId)?.exited(exit);
      followed.delete(exit.processId);
    },
  };
}

type Followed = {
  printed(output: HostProcessOutput): Promise<void>;
  exited(exit: HostProcessExit): void;
};

function followProcess(processId: string, log: RunLog): Followed {
  const cleaned = cleanOutput(log.journal.redactor);
  const early: HostProcessOutput[] = [];
  let waiting: Promise<void> | undefined;

  const state = () => log.state.processes.find((one) => one.processId === processId);
  const goesOn = () => state()?.status === "running" && !isTerminal(log.state.status);

  async function emit(draft: Draft | undefined): Promise<void> {
    // A run that was lost or is over takes no more; whoever has it now knows nothing of this process.
    if (draft && goesOn()) await log.stream(draft, SIZE).catch(() => undefined);
  }

  async function untilStarted(): Promise<void> {
    while (!state()) await log.change();
    await Promise.all(early.splice(0).map((output) => emit(cleaned.take(output)))); // before any that comes meanwhile
  }

  async function reportExit({ exit_code, signal }: HostProcessExit): Promise<void> {
    await emit(cleaned.rest(processId));
    if (goesOn()) await log.appendExits([{ process_id: processId, exit_code, signal }]);
  }

  return {
    async printed(output) {
      if (state() && early.length === 0) return emit(cleaned.take(output));
      early.push(output);
      if (early.length > EARLY_PIECES) early.shift();
      // Nobody waits: the answer that makes the process known comes through the same pipe.
      waiting ??= untilStarted().catch(() => undefined);
    },
    exited(exit) {
      // Not journaled as started by then, or the run is over: whoever looks next finds out (process.ts).
      const before = waiting ?? (state() ? Promise.resolve() : untilStarted());
      before.then(() => reportExit(exit)).catch(() => undefined);
    },
  };
}

const SIZE = 8_192; // how much of it may wait for the disk is counted in characters (run-log.ts)

type Cleaned = {
  take(output: HostProcessOutput): Draft | undefined;
  /** What was held back because it could have been the beginning of a secret. */
  rest(processId: string): Draft | undefined;
};

function cleanOutput(redactor: Redactor | undefined): Cleaned {
  let output = redactor ? redacted(redactor, "whole") : plain("whole");
  let decoder = new StringDecoder("utf8");
  let [end, emitted] = [0, 0]; // of what came, and of what became an event
  const draft = (process_id: string, { offset, text }: { offset: number; text: string }): Draft => {
    emitted = end;
    return { type: "process.output", payload: { process_id, offset, text, bytes: end } };
  };
  return {
    take({ processId, offset, total, data }) {
      const isGap = offset > end;
      if (isGap) {
        output = redactor ? redacted(redactor, "cut") : plain("cut");
        decoder = new StringDecoder("utf8");
      }
      const shown = output.push(data);
      const text = decoder.write(shown);
      end = total;
      if (text === "" && !isGap) return undefined;
      return draft(processId, {
        offset: isGap ? Math.max(offset, total - shown.length) : emitted,
        text,
      });
    },
    rest(processId) {
      const text = decoder.write(output.end()) + decoder.end();
      return text === "" ? undefined : draft(processId, { offset: emitted, text });
    },
  };
}

/** Whether it follows a gap: then it begins with half a line. */
type Begins = "whole" | "cut";

function plain(begins: Begins): Redacting<Buffer> {
  let isCut = begins === "cut";
  return {
    push(data) {
      const shown = isCut ? data.subarray(lineAfter(data) ?? letterIn(data)) : data;
      isCut = false;
      return shown;
    },
    end: () => Buffer.alloc(0),
  };
}

/**
 * After a gap as many lines are left out as the rest of a secret may be on. They are redacted first: one
 * that begins in them may go on beyond. Where lines do not end, enough bytes will do.
 */
function redacted(redactor: Redactor, begins: Begins): Redacting<Buffer> {
  const redacting = redactor.bytes();
  const { lines, bytes } = redactor.longest;
  let cutLines = begins === "cut" ? lines : 0;
  let seen = 0;
  const uncut = (data: Buffer) => {
    let from = 0;
    while (cutLines > 0) {
      const next = lineAfter(data, from);
      if (next === undefined) return data.subarray(data.length);
      [from, cutLines] = [next, cutLines - 1];
    }
    return data.subarray(from);
  };
  return {
    push(data) {
      const clean = redacting.push(data);
      // Twice: as much again may have been held back because it looked like a beginning.
      const isEnough = cutLines > 0 && seen >= 2 * bytes;
      seen += data.length;
      if (!isEnough) return uncut(clean);
      cutLines = 0;
      return clean.subarray(letterIn(clean));
    },
    end: () => uncut(redacting.end()),
  };
}

function lineAfter(data: Buffer, from = 0): number | undefined {
  const at = data.indexOf(10, from);
  return at < 0 ? undefined : at + 1;
}

/** Where the first letter begins that is not cut in two. */
function letterIn(data: Buffer): number {
  return Math.max(
    0,
    data.findIndex((byte) => byte < 0x80 || byte >= 0xc0),
  );
}
