// The stage of a recording: the real program, a model that follows a script, and paths that are the same on every
// machine, because recordings are committed.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { followRun } from "../follow.ts";
import { call, readEvents, startRun } from "../http.ts";
import {
  answer,
  finish,
  hang,
  reasoningChunk,
  startModelServer,
  textChunk,
  toolCallChunk,
  type ModelServer,
  type RecordedRequest,
  type ReplyStep,
} from "../models/model-server.ts";
import { startProgram, type TestHome, type Program } from "../program.ts";
import { isSideQuestion, messagesIn } from "../models/scripted-agent.ts";
import { until } from "../until.ts";

/** Stands in every recording. */
export const PLACE: TestHome = { home: "/tmp/qd-rec/home", workspace: "/tmp/qd-rec/workspace" };
export const MODEL = "scripted/agent";
const PACE_MS = 20;

/** One answer of the model. */
export type Line = {
  readonly think?: string;
  readonly say?: string;
  readonly calls?: readonly (readonly [name: string, args: Record<string, unknown>])[];
  /** The first time it says this and hangs; the second time it says all of it. */
  readonly hangsOnce?: true;
  /** The first time it fails like this; the second time it says the rest. */
  readonly failsOnce?: readonly [status: number, code: string, message: string];
};
/** Its answers, turn by turn, by the end of the user's newest message. */
export type Lines = Readonly<Record<string, readonly Line[]>>;

export type Scenario = {
  readonly settings?: Record<string, unknown>;
  readonly files?: Record<string, string>;
  readonly lines: Lines;
  /** To side questions: titles, summaries, whether a goal is met. */
  readonly aside?: (text: string, count: number) => string;
  /** The id of the session to record, once it is idle. */
  readonly play: (stage: Stage) => Promise<string>;
};

export type Stage = Program & {
  readonly say: (text: string, more?: object) => Promise<{ run_id: string; session_id: string }>;
  /** Until the run has ended. */
  readonly ended: (runId: string) => Promise<void>;
  /** Until this is in the run's log. */
  readonly seen: (runId: string, words: string) => Promise<unknown>;
  readonly post: (path: string, body?: object) => Promise<Record<string, string>>;
};

export async function record(scenario: Scenario): Promise<string[]> {
  prepare(scenario);
  await using model = await startModel(scenario);
  await using program = await startProgram(PLACE, { env: { QUARTERDECK_BASE_URL: model.baseUrl } });
  const stage = stageOn(program);
  const sessionId = await scenario.play(stage);
  const { body } = await call<{ session: { seq: number } }>(
    program,
    "GET",
    `/api/sessions/${sessionId}`,
  );
  const { frames } = await readEvents(program, `/api/sessions/${sessionId}/events`, {
    take: body.data.session.seq,
  });
  return frames.map(({ data }) => data);
}

function prepare({ settings = {}, files = {} }: Scenario): void {
  for (const folder of [PLACE.home, PLACE.workspace]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const config = {
    model: MODEL,
    lease_ms: 2_000,
    model_retry_base_ms: 10,
    titles: false,
    ...settings,
  };
  writeFileSync(`${PLACE.home}/config.json`, JSON.stringify(config));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(`${PLACE.workspace}/${name}`, text);
  }
}

function stageOn(program: Program): Stage {
  return {
    ...program,
    say: (text, more = {}) => startRun(program, text, more),
    ended: async (runId) => void (await followRun(() => program, runId)),
    // A subagent's run may not exist yet.
    seen: (runId, words) =>
      until(async () => {
        const { frames } = await readEvents(program, `/api/runs/${runId}/events`, {
          until: ({ data }) => data.includes(words),
        });
        return frames.at(-1)?.data.includes(words);
      }, words),
    post: async (path, body = {}) => {
      const answered = await call<Record<string, string>>(program, "POST", path, body);
      if (!answered.body.ok) throw new Error(`${path}: ${JSON.stringify(answered.body)}`);
      return answered.body.data;
    },
  };
}

function startModel({ lines, aside = () => "" }: Scenario): Promise<ModelServer> {
  const once = new Set<Line>();
  let sideQuestions = 0;
  return startModelServer((request) => {
    if (isSideQuestion(request))
      return replyTo({ say: aside(lastSaid(request), (sideQuestions += 1)) });
    const line = lineFor(lines, request);
    const first = !once.has(line);
    once.add(line);
    if (first && line.failsOnce) {
      const [status, code, message] = line.failsOnce;
      return answer(status, { error: { code, message, type: code } });
    }
    return first && line.hangsOnce ? hanging(line) : replyTo(line);
  });
}

/** Only the conversation decides, so an interrupted step that is asked for again is the same step. */
function lineFor(lines: Lines, request: RecordedRequest): Line {
  const messages = messagesIn(request);
  const said = lastSaid(request);
  const key = Object.keys(lines)
    .filter((words) => said.endsWith(words))
    .toSorted((a, b) => b.length - a.length)[0];
  const from = messages.findLastIndex(({ role }) => role === "user");
  const done = messages.slice(from).filter(({ role }) => role === "assistant").length;
  return lines[key ?? ""]?.[done] ?? { say: "There is nothing left to do." };
}

function lastSaid(request: RecordedRequest): string {
  const content = messagesIn(request).findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content;
  const parts = (content ?? []) as { text?: string }[];
  return parts.map(({ text = "" }) => text).join("");
}

/** In separate pieces, because what arrives at once becomes one event (E10). */
async function* saying({ think = "", say = "" }: Line): AsyncGenerator<ReplyStep> {
  const pieces = (text: string) => text.match(/(?:\S+\s*){1,4}/g) ?? [];
  for (const step of [...pieces(think).map(reasoningChunk), ...pieces(say).map(textChunk)]) {
    yield step;
    await delay(PACE_MS);
  }
}

async function* hanging(line: Line): AsyncGenerator<ReplyStep> {
  yield* saying(line);
  yield hang;
}

async function* replyTo(line: Line): AsyncGenerator<ReplyStep> {
  const { calls = [] } = line;
  yield* saying(line);
  for (const [at, [name, args]] of calls.entries()) {
    yield toolCallChunk(at, `call_${at}`, name, JSON.stringify(args));
  }
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  yield finish(calls.length > 0 ? "tool_calls" : "stop", usage);
}
