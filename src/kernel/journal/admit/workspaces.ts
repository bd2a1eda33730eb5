// Normalises workspaces where they come in, from whichever window. A path on a volume of this machine is named by the
// volume, so that every runner that has it can do the work; a path that could leave its volume is refused. An unknown
// volume is accepted, because another machine may have it. A workspace that contains the program is refused here, and
// again when a tool host starts.
import type { Commands, Reads } from "../journal.ts";
import { ApiError } from "../../events/errors.ts";
import { localPath, onVolume, spelledPlace, type Volumes } from "../../events/workspace-place.ts";

type Given = { readonly workspace?: string | null | undefined };

/** The options with which a journal is opened. */
export type WorkspaceRules = {
  /** Where this machine has mounted its volumes. */
  readonly volumes?: Volumes;
  /** Why tools must not work at a path of this machine; undefined if they may. */
  readonly problem?: (path: string) => string | undefined;
};

export type Workspaces = {
  /** For defaults and queries. */
  readonly named: <Carrier extends Given>(carrier: Carrier) => Carrier;
  /** For a chosen workspace: also checks whether tools may work there. */
  readonly chosen: <Carrier extends Given>(carrier: Carrier) => Carrier;
};

type Carries<Argument> = Argument extends object
  ? "workspace" extends keyof Argument
    ? true
    : never
  : never;

/** The methods that take a workspace. The table must have all of them: a new method does not compile without. */
export type TakingWorkspace<Part> = {
  [
    Name in keyof Part as Part[Name] extends (...args: infer Args) => unknown
      ? [Carries<Args[number]>] extends [never]
        ? never
        : Name
      : never
  ]: Part[Name];
};

export function workspaces({ volumes = {}, problem }: WorkspaceRules = {}): Workspaces {
  const named = <Carrier extends Given>(carrier: Carrier): Carrier =>
    carrier.workspace ? { ...carrier, workspace: nameOf(carrier.workspace, volumes) } : carrier;
  return {
    named,
    chosen(carrier) {
      const path = carrier.workspace ? localPath(carrier.workspace, volumes) : undefined;
      const message = path === undefined ? undefined : problem?.(path);
      if (message === undefined) return named(carrier);
      throw new ApiError("invalid_request", message, { reason: "unfit_workspace" });
    },
  };
}

function nameOf(workspace: string, volumes: Volumes): string {
  const spelled = spelledPlace(workspace);
  if (spelled !== undefined) return onVolume(spelled, volumes);
  const message = `A workspace on a volume has no “..” in its path, which ${workspace} has.`;
  throw new ApiError("invalid_request", message, { reason: "outside_volume" });
}

export function admitting(plain: Commands, { named, chosen }: Workspaces): Commands {
  const taking: TakingWorkspace<Commands> = {
    startRun: async (command, defaults, same) =>
      plain.startRun(chosen(command), named(defaults), same),
    takeChannelMessage: async (command, defaults) =>
      plain.takeChannelMessage(command, named(defaults)),
    createSession: async (command, defaults) =>
      plain.createSession(chosen(command), named(defaults)),
    updateSession: async (sessionId, command) => plain.updateSession(sessionId, chosen(command)),
    createProject: async (command) => plain.createProject(chosen(command)),
    updateProject: async (projectId, command) => plain.updateProject(projectId, chosen(command)),
    importSession: async (command, defaults) => plain.importSession(command, named(defaults)),
  };
  return { ...plain, ...taking };
}

export function finding<Plain extends TakingWorkspace<Reads>>(
  plain: Plain,
  { named }: Workspaces,
): Plain {
  const taking: TakingWorkspace<Reads> = {
    search: async (query) => plain.search(named(query)),
    sessionSummaries: async (query) => plain.sessionSummaries(named(query)),
  };
  return { ...plain, ...taking };
}
