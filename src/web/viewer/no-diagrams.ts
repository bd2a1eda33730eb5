// Replaces markdown/diagrams.ts where no server provides the frame.
import type { Drawing } from "../markdown/diagrams.ts";

export function drawDiagram(_text: string, _dark: boolean): Promise<Drawing | null> {
  return Promise.resolve(null);
}
