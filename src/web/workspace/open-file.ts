// Opens a file in the side panel; the open file is in the address.
import { adjust } from "../use-route.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";

/** `path` is relative to the workspace. */
export function openFile(path: string, line?: number): void {
  adjust({ panel: "files", path, line });
}

export function closeFile(): void {
  adjust({ path: undefined, line: undefined });
}

/** Null: outside of the workspace. */
export function insideWorkspace(path: string, workspace: string): string | null {
  const base = workspace.endsWith("/") ? workspace : `${workspace}/`;
  const relative = path.startsWith(base) ? path.slice(base.length) : path;
  const parts: string[] = [];
  for (const part of relative.split("/")) {
    if (part === "..") {
      if (parts.length === 0) return null;
      parts.pop();
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return relative.startsWith("/") || parts.length === 0 ? null : parts.join("/");
}

/** Exact: escapes line breaks and outer blanks. */
export function visiblePath(path: string): string {
  const shown = visibleText(path.replaceAll("\n", String.raw`\n`).replaceAll("\t", String.raw`\t`));
  return shown.replaceAll(/(?<=^|\/) +| +(?=\/|$)/g, (blanks) => "␠".repeat(blanks.length));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}
