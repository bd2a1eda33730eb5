// The run as a tree of what was done.
export function TreeView() {
  return null;
}
