// What a direct command printed, each stream by itself: its call has them together. Bounded from the end.
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";

const PAGE = 200;
const MAX = 262_144; // characters of one stream

export async function printedBy(journal: Journal, runId: string) {
  const streams = { stdout: "", stderr: "" };
  let truncated = false;
  for (let after = 0; ;) {
    const page = await journal.readRun(runId, after, PAGE);
    for (const [seq, , body] of page?.rows ?? []) {
      after = seq;
      const event = JSON.parse(body) as RunEvent;
      if (event.type === "tool.done") truncated ||= event.payload.output.truncated;
      if (event.type !== "tool.updated" || event.payload.channel === "progress") continue;
      const { channel, delta } = event.payload;
      const whole = streams[channel] + delta;
      truncated ||= whole.length > MAX;
      streams[channel] = whole.slice(-MAX);
    }
    if (!page || page.rows.length < PAGE) return { ...streams, truncated };
  }
}
