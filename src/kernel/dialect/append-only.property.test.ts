// However often a step is cut, no window shows its text twice: what a client has received is the answer, or a mark
// says where it starts again.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as d from "../../../test/support/drafts.ts";
import { seal } from "../../../test/support/events.ts";
import type { RunEvent } from "../events/events.ts";
import { DIALECTS } from "../../windows/all.ts";
import { RESTARTED } from "./append-only.ts";
import type { ChatFrame } from "../../windows/v1/wire/chat/chat-completions.ts";
import { encode } from "./dialect.ts";

type Field = Record<string, string | undefined>;

/** The answer's text in a frame as clients put it together; null: the window shows no text as it comes. */
const TEXT_IN: Record<string, ((frame: never) => string | undefined) | null> = {
  console: ({ type, payload }: { type: string; payload: Field }) =>
    type === "message.assistant.delta" ? payload["delta"] : "",
  daemon: ({ event }: { event: { method: string; params: Field } }) =>
    event.method === "stream.text" ? event.params["delta"] : "",
  webui: ({ event, data }: { event: string; data: Field }) =>
    event === "token" ? data["text"] : "",
  "v1-runs": ({ event, delta }: { event: string; delta?: string }) =>
    event === "message.delta" ? delta : "",
  responses: ({ type, delta }: { type: string; delta?: string }) =>
    type === "response.output_text.delta" ? delta : "",
  "chat-completions": ({ data }: ChatFrame) =>
    typeof data === "object" && "choices" in data ? data.choices[0]?.delta.content : "",
  terminal: null, // one reply, when the run has ended
  hud: null,
  "webui-session": null,
};

const words = fc
  .array(fc.constantFrom("port ", "star", "board ", "\n", "é"), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(""));
const attempt = fc.record({
  text: fc.option(words, { nil: null }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

/** Each attempt but the last says a part of the answer, or of something else, and is cut. */
function eventsOf(answer: string, cuts: readonly { text: string | null; share: number }[]) {
  const pieces = (id: string, text: string) =>
    (text.match(/[^]{1,4}/gu) ?? []).map((piece) => d.token(id, piece));
  const cut = cuts.flatMap(({ text, share }, at) => {
    const all = text ?? answer;
    const said = all.slice(0, Math.floor(share * all.length));
    return [d.turnStarted(1, at + 1), ...pieces(`m1.${at + 1}`, said), d.superseded(1, at + 1)];
  });
  const last = cuts.length + 1;
  return seal("r1", [
    d.userMessage("go"),
    d.queued,
    d.started(),
    ...cut,
    d.turnStarted(1, last),
    ...pieces(`m1.${last}`, answer),
    d.said(`m1.${last}`, answer, `t1.${last}`),
    d.done(9),
  ]);
}

function received(name: string, events: readonly RunEvent[]): string | undefined {
  const dialect = DIALECTS.find((it) => it.name === name);
  const read = TEXT_IN[name];
  assert.ok(dialect && read !== undefined, `how ${name} shows text is not decided`);
  if (read === null) return undefined;
  const state = dialect.begin();
  const frames = events.flatMap((event) => encode(dialect, event, state, { replay: false }));
  return frames.map((frame) => read(frame as never) ?? "").join("");
}

for (const { name } of DIALECTS) {
  test(`[W20] ${name}: an answer that was cut goes on where it stopped`, () => {
    fc.assert(
      fc.property(words, fc.array(attempt, { maxLength: 3 }), (answer, cuts) => {
        const same = cuts.map(({ share }) => ({ text: null, share }));
        const text = received(name, eventsOf(answer, same));
        if (text !== undefined) assert.equal(text, answer);
      }),
    );
  });

  test(`[W20b] ${name}: an answer that turns out differently is marked once per turn it takes`, () => {
    fc.assert(
      fc.property(words, fc.array(attempt, { minLength: 1, maxLength: 3 }), (answer, cuts) => {
        const text = received(name, eventsOf(answer, cuts));
        if (text === undefined) return;
        const parts = text.split(RESTARTED);
        assert.ok(parts.length <= cuts.length + 1, `${parts.length - 1} marks`);
        const last = parts.at(-1) ?? "";
        // A complete answer that is the beginning of what was shown before is told with its end.
        assert.ok(last === answer || last.startsWith(answer), JSON.stringify(text));
      }),
    );
  });
}

test("[W20b] what a new attempt says differently stands behind a mark, from its beginning", () => {
  const cuts = [{ text: "port star", share: 1 }];
  for (const { name } of DIALECTS.filter((it) => /^(chat-completions|daemon)$/.test(it.name))) {
    assert.equal(received(name, eventsOf("port board", cuts)), `port star${RESTARTED}port board`);
  }
});
