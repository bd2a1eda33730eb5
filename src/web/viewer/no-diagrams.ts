// In the place of markdown/diagrams.ts where there is no server whose frame could draw them.
import type { Drawing } from "../markdown/diagrams.ts";

export function drawDiagram(_text: string, _dark: boolean): Promise<Drawing | null> {
  return Promise.resolve(null);
}
