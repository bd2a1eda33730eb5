// The workspace's files.
export function FilesPanel() {
  return null;
}
