// Where a workspace is: `volume:/path` on a volume that machines mount where they like, or a plain path, which
// is then the same on every machine that may run it.
export type WorkspacePlace = { readonly volume: string; readonly path: string };

const NAMED = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}):(\/.*)$/s;

export function workspacePlace(workspace: string): WorkspacePlace {
  const [, volume = "", path = workspace] = NAMED.exec(workspace) ?? [];
  return { volume, path };
}
