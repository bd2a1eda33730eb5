// Writes journal events to the process log: ended tool calls, failed runs, schedules and messengers. Never what was
// said: that is only in the journal.
import type { Log, LogKind } from "../kernel/home/log.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import type { Draft } from "../kernel/events/events.ts";
import type { SystemDraft } from "../kernel/events/system-events.ts";

export function observed(journal: Journal, log: Log): Journal {
  const tools = log.as("tool_debug");
  return {
    ...journal,
    async append(claim, drafts, options) {
      const result = await journal.append(claim, drafts, options);
      if (result.ok) for (const draft of drafts) emit(tools, claim.runId, draft);
      return result;
    },
    systemLog: {
      ...journal.systemLog,
      async note(drafts) {
        const id = await journal.systemLog.note(drafts);
        for (const draft of drafts) emitSystem(log, draft);
        return id;
      },
    },
  };
}

function emit(log: Log, run_id: string, { type, payload }: Draft): void {
  if (type === "tool.started") {
    log.write("debug", "started", { fields: { run_id, call_id: payload.call_id } });
  } else if (type === "tool.done") {
    const { call_id, name, status, duration_ms, exit_code, error } = payload;
    const fields = {
      run_id,
      call_id,
      name,
      duration_ms,
      exit_code,
      ...(error && { code: error.code }),
    };
    log.write(status === "completed" ? "info" : "warn", status, { fields });
  } else if (type === "tool.outcome_unknown") {
    log.write("warn", "outcome unknown", { fields: { run_id, call_id: payload.call_id } });
  }
}

const KINDS: readonly LogKind[] = ["cron", "gateway"];

function emitSystem(log: Log, { type, payload }: SystemDraft): void {
  const kind = KINDS.find((name) => type.startsWith(`${name}.`));
  if (kind) log.as(kind).write("info", type, { fields: payload });
}
