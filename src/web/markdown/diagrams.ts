// Draws diagrams in a hidden sandboxed frame (policy: kernel/server/static.ts) and shows the result as an
// image, which runs and loads nothing. One at a time, with a timeout; an unresponsive frame is discarded.
import mermaidUrl from "@mermaid-js/tiny/dist/mermaid.tiny.js?url";
// oxlint-disable-next-line import/default -- the builder makes one: where the script is
import frameUrl from "./diagram-frame.ts?worker&url";

import { canBeDrawn } from "./diagram-source.ts";

export type DrawingAsked = { readonly id: number; readonly text: string; readonly dark: boolean };
export type Drawn = {
  readonly id: number;
  readonly svg: string | null;
  readonly width: number;
  readonly height: number;
};
export type Drawing = { readonly src: string; readonly width: number; readonly height: number };

const MAX_TEXT = 20_000;
const MAX_SVG = 2_000_000;
const READY_MS = 20_000; // the library is large, and the line may be slow
const DRAW_MS = 4_000;
const MAX_SIDE = 20_000;

let frame: Promise<HTMLIFrameElement> | null = null;
let queue: Promise<unknown> = Promise.resolve();
let lastId = 0;

/** Null: it cannot be drawn. */
export function drawDiagram(text: string, dark: boolean): Promise<Drawing | null> {
  if (text.length > MAX_TEXT || text.trim() === "" || !canBeDrawn(text)) {
    return Promise.resolve(null);
  }
  const drawn = queue.then(() => draw(text, dark)).catch(() => null);
  queue = drawn;
  return drawn;
}

async function draw(text: string, dark: boolean): Promise<Drawing | null> {
  frame ??= openFrame();
  const opened = await frame.catch(() => null);
  if (!opened?.contentWindow) {
    frame = null;
    return null;
  }
  lastId += 1;
  const id = lastId;
  opened.contentWindow.postMessage({ id, text, dark } satisfies DrawingAsked, "*");
  const drawn = await answerOf(opened, id, DRAW_MS);
  if (!drawn) {
    opened.remove(); // still busy with it, perhaps for ever
    frame = null;
    return null;
  }
  return toDrawing(drawn);
}

function toDrawing({ svg, width, height }: Drawn): Drawing | null {
  if (typeof svg !== "string" || !svg.startsWith("<svg") || svg.length > MAX_SVG) return null;
  if (![width, height].every((side) => side > 0 && side < MAX_SIDE)) return null;
  // An image takes its size from the SVG, and "100%" would be zero.
  const sized = svg.replace(
    /^<svg([^>]*?) width="[^"]*"/,
    `<svg$1 width="${width}" height="${height}"`,
  );
  return { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized)}`, width, height };
}

async function openFrame(): Promise<HTMLIFrameElement> {
  const made = document.createElement("iframe");
  made.setAttribute("sandbox", "allow-scripts");
  made.setAttribute("aria-hidden", "true");
  made.tabIndex = -1;
  made.title = "Diagrams";
  // Off screen but laid out, because text is measured in it.
  Object.assign(made.style, {
    position: "absolute",
    left: "-2000px",
    top: "0",
    width: "1000px",
    height: "600px",
    border: "0",
    visibility: "hidden",
  });
  const scripts = new URLSearchParams({ library: fileOf(mermaidUrl), frame: fileOf(frameUrl) });
  made.src = `/diagram?${scripts.toString()}`;
  document.body.append(made);
  if (await answerOf(made, 0, READY_MS)) return made;
  made.remove();
  throw new Error("The frame for diagrams did not start");
}

function fileOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

function answerOf(from: HTMLIFrameElement, id: number, withinMs: number): Promise<Drawn | null> {
  return new Promise((resolve) => {
    const settle = (drawn: Drawn | null) => {
      clearTimeout(timer);
      window.removeEventListener("message", listen);
      resolve(drawn);
    };
    const listen = ({ source, data }: MessageEvent<Drawn>) => {
      if (source === from.contentWindow && data.id === id) settle(data);
    };
    const timer = setTimeout(() => settle(null), withinMs);
    window.addEventListener("message", listen);
  });
}
