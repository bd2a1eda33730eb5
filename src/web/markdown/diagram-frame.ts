// Draws diagrams in a sandboxed frame without origin, network or storage: text in, SVG text out. Built
// separately (see diagrams.ts).
import type { DrawingAsked, Drawn } from "./diagrams.ts";

declare const mermaid: {
  initialize(options: Record<string, unknown>): void;
  render(id: string, text: string): Promise<{ svg: string }>;
};

addEventListener("message", ({ source, data }: MessageEvent<DrawingAsked>) => {
  if (source !== parent) return;
  const { id, text, dark } = data;
  const answer = (drawn: Omit<Drawn, "id">) => parent.postMessage({ id, ...drawn }, "*");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    suppressErrorRendering: true,
    maxTextSize: 20_000,
    maxEdges: 300,
    theme: dark ? "dark" : "neutral",
    fontFamily: "sans-serif",
  });
  mermaid.render(`diagram-${id}`, text).then(
    ({ svg }) => {
      const [, , width = 0, height = 0] = (/viewBox="([^"]*)"/.exec(svg)?.[1] ?? "")
        .split(/[\s,]+/)
        .map(Number);
      answer({ svg, width, height });
    },
    () => answer({ svg: null, width: 0, height: 0 }),
  );
});
parent.postMessage({ id: 0, svg: null, width: 0, height: 0 } satisfies Drawn, "*"); // ready
