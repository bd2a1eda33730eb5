// The web console's world: one program with a scripted model, a messenger and an audio endpoint of this machine, and
// a session in which everything of the document happened while a stream was open.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAudioEndpoint } from "../../support/servers/audio-endpoint.ts";
import { fakeTelegram, TELEGRAM_TOKEN } from "../../support/messengers/fakes/telegram.ts";
import { switchOn } from "../../support/messengers/gateway-place.ts";
import { call, readEvents, type Answer, type Frame, type Server } from "../../support/http.ts";
import { newTestHome, startProgram, type TestHome, type Program } from "../../support/program.ts";
import { fillFromRecordings } from "../../support/recordings/recorded-home.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";
import { act, type Acted } from "./acts.ts";
import { MODEL, scriptOf, SECRET } from "./script.ts";

export type Data = Record<string, unknown>;
export type ConsoleFrame = {
  id: string;
  type: string;
  session_id: string;
  run_id: string | null;
  ts: string;
  payload: Data;
};
/** As it came: the line `id:` and what is in the frame. */
export type Seen = { readonly line: string | undefined; readonly frame: ConsoleFrame };

const KEY = "a-key-of-api-server-key-that-nobody-guesses";

export type Console = {
  readonly server: Server;
  readonly place: TestHome;
  readonly program: Program;
  readonly telegram: Awaited<ReturnType<typeof fakeTelegram>>;
  /** Bodies that the model was sent. */
  readonly asked: readonly { readonly body: Data }[];
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly post: (
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Reads a session's stream until a frame says so. */
  readonly stream: (query: string, options?: StreamOptions) => Promise<Streamed>;
  /** How a run ended. */
  readonly ended: (runId: unknown) => Promise<Data>;
};
type StreamOptions = { after?: string; until?: (frame: ConsoleFrame) => boolean; limitMs?: number };
export type Streamed = { readonly seen: Seen[]; readonly status: number };

export type ConsoleWorld = Console &
  AsyncDisposable & {
    readonly kept: Acted;
    /** Another program: its sessions are old, and nobody gave it an endpoint for sound. */
    readonly old: Server;
  };

export async function openConsoleWorld(): Promise<ConsoleWorld> {
  const stack = new AsyncDisposableStack();
  const over = Promise.withResolvers<void>();
  stack.defer(() => over.resolve());
  const model = stack.use(await startAgent(scriptOf(over.promise)));
  const telegram = stack.use(await fakeTelegram());
  const audio = stack.use(await startAudioEndpoint());
  const place = stack.use(
    newTestHome({
      gateway_urls: { telegram: telegram.url },
      gateway_edit_ms: 20,
      transcription_url: audio.baseUrl,
      transcription_model: "ears",
      speech_url: audio.baseUrl,
      speech_model: "voice",
    }),
  );
  furnish(place);
  const env = {
    API_SERVER_KEY: KEY,
    QUARTERDECK_BASE_URL: model.baseUrl,
    QUARTERDECK_API_KEY: SECRET,
    QUARTERDECK_MODEL: MODEL,
  };
  const program = stack.use(await startProgram(place, { env }));
  const server = { url: program.url, token: KEY };
  const console_ = consoleOf(server, { place, program, telegram, asked: model.requests });
  const messenger = switchOn(server, "telegram", {
    secrets: { token: TELEGRAM_TOKEN },
    home_channel: "12345678",
  });
  const useless = call(server, "POST", "/api/gateway/platforms/slack", {
    enabled: true,
    mode: "allowlist",
  });
  const [kept] = await Promise.all([act(console_), messenger, useless]);
  const old = await startOld(stack);
  return { ...console_, kept, old, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function startOld(stack: AsyncDisposableStack): Promise<Server> {
  const place = stack.use(newTestHome());
  await fillFromRecordings(place.home);
  return stack.use(await startProgram(place));
}

/** Files to be found, a profile whose approvals expire, and no more. */
function furnish({ home, workspace }: TestHome): void {
  const lines = Array.from({ length: 12 }, (_, at) => `api_server route ${at}`);
  writeFileSync(join(workspace, "routes.txt"), `${lines.join("\n")}\n`);
  mkdirSync(join(workspace, "src/deep"), { recursive: true });
  writeFileSync(join(workspace, "src/deep/a.ts"), "export const a = 1;\n");
  const profile = join(home, "profiles", "default");
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  writeFileSync(join(profile, "profile.json"), JSON.stringify({ approval_expires_s: 600 }));
}

type Deps = Pick<Console, "place" | "program" | "telegram" | "asked">;

function consoleOf(server: Server, deps: Deps): Console {
  const ask = (method: string, path: string, body?: unknown, headers = {}) =>
    call(server, method, `/api/gui${path}`, body, headers);
  return {
    server,
    ...deps,
    ask,
    get: (path, headers) => ask("GET", path, undefined, headers),
    post: (path, body = {}, headers = {}) => ask("POST", path, body, headers),
    async stream(query, { until: isLast, ...options } = {}) {
      const path = `/api/gui/stream/session/${query}`;
      const read = await readEvents(server, path, {
        ...options,
        ...(isLast && { until: (frame) => isLast(frameIn(frame)) }),
      });
      const seen = read.frames.map((frame) => ({ line: frame.id, frame: frameIn(frame) }));
      return { seen, status: read.status };
    },
    async ended(runId) {
      const run = await until(
        async () => {
          const { body } = await ask("GET", `/chat/run/${String(runId)}`);
          const shown = body.data["run"] as Data;
          return shown["ended_at"] === null ? undefined : shown;
        },
        `the end of ${String(runId)}`,
      );
      assert.ok(run);
      return run;
    },
  };
}

function frameIn({ data }: Frame): ConsoleFrame {
  return JSON.parse(data) as ConsoleFrame;
}
