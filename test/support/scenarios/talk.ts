// Sessions with little but text: answers, thoughts, and models that fail.
import type { Scenario } from "./stage.ts";

const GREETING = "Good morning. The harbour is quiet, the tide is out, and there is nothing to do.";

const text: Scenario = {
  settings: { titles: true },
  aside: () => "A quiet harbour",
  lines: {
    "How is the harbour?": [{ say: GREETING }],
    "And in one word?": [{ say: "Quiet." }],
  },
  async play({ say, ended }) {
    const { run_id, session_id } = await say("How is the harbour?");
    await ended(run_id);
    const second = await say("And in one word?", { session_id });
    await ended(second.run_id);
    return session_id;
  },
};

const thinking: Scenario = {
  files: { "log.txt": "0600 fog\n0900 clear\n" },
  lines: {
    "When did the fog lift?": [
      {
        think: "The log should say. I will read it before I answer.",
        say: "Let me look at the log.",
        calls: [["read", { path: "log.txt" }]],
      },
      {
        think: "Fog at six, clear at nine: it lifted in between.",
        say: "Between six and nine o'clock.",
      },
    ],
  },
  async play({ say, ended }) {
    const { run_id, session_id } = await say("When did the fog lift?");
    await ended(run_id);
    return session_id;
  },
};

/** One model asks to wait and then answers; one refuses permanently. */
const failed: Scenario = {
  lines: {
    "Are you there?": [
      { failsOnce: [503, "overloaded", "The model is overloaded."], say: "Now I am." },
    ],
    "Answer me.": [{ failsOnce: [401, "invalid_api_key", "No such key."], say: "Never said." }],
  },
  async play({ say, ended }) {
    const { run_id, session_id } = await say("Are you there?");
    await ended(run_id);
    const second = await say("Answer me.", { session_id });
    await ended(second.run_id);
    return session_id;
  },
};

/** Compaction on request, and because the provider said that the conversation is too long. */
const compaction: Scenario = {
  aside: (_, count) => `Summary ${count}: they counted ships and found three.`,
  files: { "ships.txt": "Ida\nVega\nNora\n" },
  lines: {
    "Count the ships.": [
      { say: "I will look.", calls: [["read", { path: "ships.txt" }]] },
      { say: "There are three ships." },
    ],
    "Name them.": [
      { calls: [["read", { path: "ships.txt" }]] },
      {
        failsOnce: [400, "context_length_exceeded", "That is too long."],
        say: "Ida, Vega and Nora.",
      },
    ],
  },
  async play({ say, ended, post }) {
    const { run_id, session_id } = await say("Count the ships.");
    await ended(run_id);
    const compress = await post(`/api/sessions/${session_id}/compress`, { focus: "ships" });
    await ended(compress["run_id"] ?? "");
    const second = await say("Name them.", { session_id });
    await ended(second.run_id);
    return session_id;
  },
};

export const TALK = { text, thinking, failed, compaction };
