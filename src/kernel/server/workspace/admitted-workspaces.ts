// Where workspaces come in, from whichever window: a path that lies on a volume of this machine is named by the
// volume, so that every runner that has it may do the work, and a place that could lead out of its volume is
// refused. A volume that nobody here knows is taken: another machine may have it. A place in which tools must not
// work, because it holds the program itself, is refused here; the tool host refuses it again when it starts.
import type { Defaults, Journal } from "../../journal/journal.ts";
import { ApiError } from "../../events/errors.ts";
import { localPath, onVolume, spelledPlace, type Volumes } from "../../events/workspace-place.ts";

type Given = { readonly workspace?: string | null | undefined };

/** Why tools must not work there: a path of this machine. Undefined: they may. */
export type WorkspaceProblem = (path: string) => string | undefined;

export function admitting(
  journal: Journal,
  volumes: Volumes = {},
  problem: WorkspaceProblem = () => undefined,
): Journal {
  const named = <Command extends Given>(command: Command): Command =>
    command.workspace ? { ...command, workspace: admitted(command.workspace, volumes) } : command;
  const chosen = <Command extends Given>(command: Command): Command => {
    refuseUnfit(command.workspace, volumes, problem);
    return named(command);
  };
  const byDefault = (defaults: Defaults) => named(defaults);
  const own: Partial<Journal> = {
    startRun: (command, defaults, same) =>
      journal.startRun(chosen(command), byDefault(defaults), same),
    takeChannelMessage: (command, defaults) =>
      journal.takeChannelMessage(command, byDefault(defaults)),
    createSession: (command, defaults) =>
      journal.createSession(chosen(command), byDefault(defaults)),
    updateSession: (sessionId, command) => journal.updateSession(sessionId, chosen(command)),
    createProject: (command) => journal.createProject(chosen(command)),
    updateProject: (projectId, command) => journal.updateProject(projectId, chosen(command)),
    createCronJob: (command, by) => journal.createCronJob(chosen(command), by),
    updateCronJob: (jobId, command, by) => journal.updateCronJob(jobId, chosen(command), by),
    runCronJob: (jobId, command, defaults) =>
      journal.runCronJob(jobId, command, byDefault(defaults)),
    importSession: (command, defaults) => journal.importSession(command, byDefault(defaults)),
    search: (query) => journal.search(named(query)),
    sessionSummaries: (query) => journal.sessionSummaries(named(query)),
  };
  return Object.assign(Object.create(journal) as Journal, own); // whatever else it has, it still has
}

function refuseUnfit(
  workspace: string | null | undefined,
  volumes: Volumes,
  problem: WorkspaceProblem,
): void {
  const path = workspace ? localPath(workspace, volumes) : undefined;
  const message = path === undefined ? undefined : problem(path);
  if (message === undefined) return;
  throw new ApiError("invalid_request", message, { reason: "unfit_workspace" });
}

export function admitted(workspace: string, volumes: Volumes): string {
  const spelled = spelledPlace(workspace);
  if (spelled !== undefined) return onVolume(spelled, volumes);
  const message = `A workspace on a volume has no “..” in its path, which ${workspace} has.`;
  throw new ApiError("invalid_request", message, { reason: "outside_volume" });
}
