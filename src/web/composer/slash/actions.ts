// What each slash command does. Server commands carry a command id, so a repeat is harmless; a refused one
// changes nothing.
import type { Api } from "../../../kernel/client/api.ts";
import type { SessionView } from "../../../kernel/client/sessions/store.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { filesOf } from "../../files/run-files.ts";
import type { OpenSheetFn } from "../../session/sheets.ts";
import { isBusy, lastExchange, newestExchange } from "../../rewind/exchange.ts";
import type { Mode } from "../mode-choice.tsx";
import { goalRequest } from "../../../kernel/text/goal-request.ts";
import type { SlashName } from "../../../kernel/text/slash-commands.ts";

export type SlashDeps = {
  readonly api: Api;
  readonly sessionId: string;
  readonly activeRunId: string | null;
  readonly view: () => SessionView;
  readonly open: OpenSheetFn;
  readonly send: (text: string, mode: Mode) => void;
  readonly stop: () => void;
  readonly askYolo: () => void;
  readonly go: (where: "new" | "demo" | "help") => void;
};
export type SlashResult =
  | { readonly problem: string }
  | { readonly done: string | null }
  | { readonly deliver: (commandId: string) => Promise<Outcome>; readonly done: string };

type Act = (argument: string, deps: SlashDeps) => SlashResult;

const DONE = { done: null } as const;
const NOT_RUNNING = { problem: "Nothing is running." } as const;

export const SLASH_ACTIONS: Record<SlashName, Act> = {
  stop: (_none, { activeRunId, stop }) => {
    if (activeRunId === null) return NOT_RUNNING;
    stop();
    return DONE;
  },
  steer: (text, deps) => say(text, "steer", deps),
  queue: (text, deps) => say(text, "queue", deps),
  undo: (_none, deps) => again("undo", deps),
  retry: (_none, deps) => again("retry", deps),
  rewind: (_none, { open }) => {
    open({ kind: "turns" });
    return DONE;
  },
  compress: (focus, { api, sessionId }) => ({
    deliver: (command_id) => api.compress(sessionId, { command_id, ...(focus && { focus }) }),
    done: "Compacting; see the transcript.",
  }),
  goal: (text, deps) => goal(text, deps),
  model: (model, { api, sessionId }) => ({
    deliver: (command_id) => api.updateSession(sessionId, { model, command_id }),
    done: `The next run uses ${model}.`,
  }),
  profile: (profile, { api, sessionId }) => ({
    deliver: (command_id) => api.updateSession(sessionId, { profile, command_id }),
    done: `The next run uses the profile ${profile}.`,
  }),
  title: (title, { api, sessionId }) => ({
    deliver: () => api.updateTitle(sessionId, title),
    done: "Renamed.",
  }),
  branch: (_none, { view, open }) => {
    const runId = newestExchange(view());
    if (runId === null) return { problem: "There is nothing to branch from yet." };
    open({ kind: "branch", runId });
    return DONE;
  },
  yolo: (turn, deps) => yolo(turn, deps),
  new: (_none, { go }) => {
    go("new");
    return DONE;
  },
  demo: (_none, { go }) => {
    go("demo");
    return DONE;
  },
  help: (_none, { go }) => {
    go("help");
    return DONE;
  },
};

function say(text: string, mode: Mode, { activeRunId, send }: SlashDeps): SlashResult {
  if (activeRunId === null) return { problem: `Nothing is running. Send it without /${mode}.` };
  send(text, mode);
  return DONE;
}

/** Asks with a sheet first if files were changed. */
function again(kind: "undo" | "retry", { view, api, sessionId, open }: SlashDeps): SlashResult {
  const now = view();
  const runId = lastExchange(now);
  if (runId === null) {
    const busy = isBusy(now) ? "A run is active: stop it first." : null;
    return { problem: busy ?? `There is nothing to ${kind}.` };
  }
  if (filesOf(now.runs, runId).length > 0) {
    open({ kind, runId });
    return DONE;
  }
  return {
    deliver: (command_id) => api[kind](sessionId, { command_id }),
    done: kind === "undo" ? "Undone." : "Asked again.",
  };
}

function goal(text: string, { api, sessionId, view }: SlashDeps): SlashResult {
  const request = goalRequest({ args: text });
  const now = view().session.goal;
  if (request.action === "status") {
    return {
      done: now
        ? `${now.status === "paused" ? "Goal, paused" : "Goal"}: ${now.text}`
        : "No goal is set.",
    };
  }
  const action = request.action === "set" && now ? "edit" : request.action;
  return {
    deliver: (command_id) => api.updateGoal(sessionId, { ...request, action, command_id }),
    done: GOAL_DONE[action],
  };
}

const GOAL_DONE = {
  set: "The goal is set. Send a message to begin.",
  edit: "The goal is set. Send a message to begin.",
  pause: "The goal is paused.",
  resume: "The goal is active again.",
  clear: "The goal was cleared.",
} as const;

function yolo(turn: string, { api, sessionId, view, askYolo }: SlashDeps): SlashResult {
  const on = turn === "on";
  if (view().session.yolo === on)
    return { done: on ? "Yolo is on already." : "Approvals are already on." };
  if (on) {
    askYolo();
    return DONE;
  }
  return {
    deliver: (command_id) => api.updateSession(sessionId, { yolo: false, command_id }),
    done: "Approvals are on again.",
  };
}
