// Where workspaces come in, from whichever window: a path that lies on a volume of this machine is named by the
// volume, so that every runner that has it may do the work, and a place that could lead out of its volume is
// refused. A volume that nobody here knows is taken: another machine may have it.
import type { Defaults, Journal } from "../journal/journal.ts";
import { ApiError } from "../protocol/errors.ts";
import { onVolume, spelledPlace, type Volumes } from "../protocol/workspace-place.ts";

type Given = { readonly workspace?: string | null | undefined };

export function admitting(journal: Journal, volumes: Volumes = {}): Journal {
  const named = <Command extends Given>(command: Command): Command =>
    command.workspace ? { ...command, workspace: admitted(command.workspace, volumes) } : command;
  const byDefault = (defaults: Defaults) => named(defaults);
  const own: Partial<Journal> = {
    startRun: (command, defaults, same) =>
      journal.startRun(named(command), byDefault(defaults), same),
    takeChannelMessage: (command, defaults) =>
      journal.takeChannelMessage(command, byDefault(defaults)),
    createSession: (command, defaults) =>
      journal.createSession(named(command), byDefault(defaults)),
    updateSession: (sessionId, command) => journal.updateSession(sessionId, named(command)),
    createProject: (command) => journal.createProject(named(command)),
    updateProject: (projectId, command) => journal.updateProject(projectId, named(command)),
    createCronJob: (command, by) => journal.createCronJob(named(command), by),
    updateCronJob: (jobId, command, by) => journal.updateCronJob(jobId, named(command), by),
    runCronJob: (jobId, command, defaults) =>
      journal.runCronJob(jobId, command, byDefault(defaults)),
    sessionSummaries: (query) => journal.sessionSummaries(named(query)),
  };
  return Object.assign(Object.create(journal) as Journal, own); // whatever else it has, it still has
}

export function admitted(workspace: string, volumes: Volumes): string {
  const spelled = spelledPlace(workspace);
  if (spelled !== undefined) return onVolume(spelled, volumes);
  const message = `A workspace on a volume has no “..” in its path, which ${workspace} has.`;
  throw new ApiError("invalid_request", message, { reason: "outside_volume" });
}
