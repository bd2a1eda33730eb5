// The floor: a page without a framework that fetches and parses the same events, folds them minimally, and draws one
// screen of rows.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { END, untilInPage } from "./page.ts";

const PAGE = `<!doctype html><meta charset="utf-8"><body><div role="log"></div><script>
  (async () => {
    const text = await (await fetch("/events")).text();
    const items = new Map();
    for (const line of text.split("\\n")) {
      if (line === "") continue;
      const { type, payload } = JSON.parse(line);
      const id = payload.message_id ?? payload.call_id ?? payload.reasoning_id ?? type;
      const item = items.get(id) ?? { text: "" };
      if (payload.delta !== undefined) item.text += payload.delta;
      else if (payload.text !== undefined) item.text = payload.text;
      items.set(id, item);
    }
    const log = document.querySelector("[role=log]");
    for (const { text } of [...items.values()].slice(-40)) {
      const row = document.createElement("p");
      row.textContent = text;
      log.append(row);
    }
    requestAnimationFrame(() => setTimeout(() => { window.shown = performance.now(); }));
  })();
</script>`;

export async function floorMs(browser: Browser, events: readonly string[]): Promise<number> {
  const body = events.join("\n");
  if (!body.includes(END)) throw new Error("these are not the events of the bench");
  const server = createServer((request, response) => {
    response.setHeader("content-type", request.url === "/events" ? "text/plain" : "text/html");
    response.end(request.url === "/events" ? body : PAGE);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    await untilInPage(page, "window.shown !== undefined");
    const shown = await page.evaluate<number>("window.shown");
    await context.close();
    return shown;
  } finally {
    server.close();
  }
}
