// Checks what keeps this installation running, and what lies between it and its browsers.
import { existsSync, readFileSync } from "node:fs";
import { WebSocket } from "ws";
import type { Config } from "../../config.ts";
import type { Finding } from "./doctor.ts";
import { openJournal } from "../open-journal.ts";
import { serviceFinding } from "../service/service.ts";
import { tokenStore } from "../token-store.ts";

const PATIENCE_MS = 5_000;

export async function services(config: Config, url: string | undefined): Promise<Finding[]> {
  const address = url ?? config.public_url;
  return [
    { name: "service", ...serviceFinding(config) },
    ...container(config),
    ...(address === undefined ? [] : [await proxy(config, address)]),
  ];
}

/** In a container, whatever is not on a volume goes with it. */
function container({ home, database }: Config): Finding[] {
  if (!existsSync("/.dockerenv") && !existsSync("/run/.containerenv")) return [];
  const name = "container";
  if (database !== undefined) return [{ name, state: "ok", text: "the journal is in Postgres" }];
  const mounts = mountPoints();
  const kept = mounts.some(
    (mount) => mount !== "/" && (home === mount || home.startsWith(`${mount}/`)),
  );
  if (kept) return [{ name, state: "ok", text: `${home} is on a volume` }];
  const text = `${home} is not on a volume: the journal goes with the container. Mount one (compose.yaml does)`;
  return [{ name, state: "note", text }];
}

function mountPoints(): string[] {
  try {
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    return lines.flatMap((line) => line.split(" ")[4] ?? []);
  } catch {
    return [];
  }
}

/** As a browser would come: by the name it knows, with its origin, and with a socket. */
async function proxy(config: Config, address: string): Promise<Finding> {
  const name = "proxy";
  if (!URL.canParse(address)) return { name, state: "problem", text: `${address} is no address` };
  const { origin } = new URL(address);
  try {
    const health = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!health.ok)
      return { name, state: "problem", text: `${origin}/health answers ${health.status}` };
    const token = await tokenOf(config);
    const headers = { authorization: `Bearer ${token}`, origin };
    const status = await fetch(`${origin}/api/status`, {
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (status.status === 403) {
      return {
        name,
        state: "problem",
        text: `the server refuses ${origin}: set "public_url" to it`,
      };
    }
    const problem = await socketProblem(`${origin.replace(/^http/, "ws")}/api/feed`, headers);
    if (problem === undefined)
      return { name, state: "ok", text: `${origin} lets requests and sockets through` };
    return {
      name,
      state: "problem",
      text: `${origin} lets no WebSocket through (${problem}): docs/services.md`,
    };
  } catch (error) {
    return { name, state: "problem", text: `${origin} does not answer (${causeOf(error)})` };
  }
}

async function tokenOf(config: Config): Promise<string> {
  await using journal = await openJournal(config);
  return await tokenStore(config, journal).read();
}

/** The feed says something at once; a proxy that buffers lets us wait. */
function socketProblem(url: string, headers: Record<string, string>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers, handshakeTimeout: PATIENCE_MS });
    const timer = setTimeout(() => end("it says nothing"), PATIENCE_MS);
    const end = (problem?: string) => {
      clearTimeout(timer);
      resolve(problem);
      socket.terminate();
    };
    socket.once("message", () => end());
    socket.once("unexpected-response", (_request, { statusCode }) => end(`status ${statusCode}`));
    socket.once("error", (error) => end(error.message));
  });
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
