// `doctor`: checks the installation and says how to repair what is wrong.
import { existsSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Config, type Parsed, UsageError } from "../../config.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import { findSandbox } from "../../kernel/workspace/sandbox/find/sandbox.ts";
import { WEB } from "../../kernel/workspace/host/program-places.ts";
import { listModels } from "../../kernel/run/models/list-models.ts";
import { resolveModel } from "../../kernel/run/models/resolve-model.ts";
import { browserFinding } from "../../features/browser/cli.ts";
import { modelSettings } from "../settings/model-settings.ts";
import { openJournal } from "../open-journal.ts";
import { messengers } from "../../features/messengers/cli/doctor-gateway.ts";
import { journalFindings } from "./doctor-journal.ts";
import { services } from "./doctor-services.ts";
import { readStatus } from "../status.ts";
import { telemetryFinding } from "../../features/telemetry/cli.ts";
import { START } from "../typed.ts";

export const flags = {
  rebuild: { type: "boolean" },
  repair: { type: "boolean" },
  url: { type: "string" },
} as const;

type Wanted = { readonly rebuild: boolean; readonly repair: boolean };
export type Finding = { name: string; state: "ok" | "note" | "problem"; text: string };

export async function command({ config, values }: Parsed): Promise<number> {
  const wanted = { rebuild: values["rebuild"] === true, repair: values["repair"] === true };
  const kept = await storage(config, wanted); // refuses a home that cannot be used
  const findings = [
    runtime(),
    disk(config),
    ...kept,
    await sandbox(config),
    limits(config),
    await model(config),
    webPage(),
    browserFinding(config),
    ...(await services(config, values["url"] as string | undefined)),
    await telemetryFinding(config),
  ];
  for (const { state, name, text } of findings) {
    console.log(
      `${{ ok: "ok     ", note: "note   ", problem: "PROBLEM" }[state]}  ${name}: ${text}`,
    );
  }
  return findings.some(({ state }) => state === "problem") ? 1 : 0;
}

/** A database that is away, or refuses us, is a finding like any other. */
async function storage(config: Config, wanted: Wanted): Promise<Finding[]> {
  try {
    return await lookAtJournal(config, wanted);
  } catch (error) {
    if (config.database === undefined || !(error instanceof UsageError)) throw error;
    return [{ name: "database", state: "problem", text: error.message }];
  }
}

async function lookAtJournal(config: Config, { rebuild, repair }: Wanted): Promise<Finding[]> {
  await using journal = await openJournal(config);
  if (rebuild) {
    await journal.upkeep.rebuild();
    console.log("Lists, inboxes and the index of words were made anew from the events.");
  }
  return [
    ...(await database(config)),
    ...(await journalFindings(journal, repair)),
    await processes(journal),
    await volumes(config, journal),
    await port(config, journal),
    ...(await messengers(journal)),
  ];
}

async function database(config: Config): Promise<Finding[]> {
  const { database: url, database_patience_ms: patienceMs } = config;
  if (url === undefined) return [];
  const { examineDatabase } = await import("../../kernel/journal/postgres/administer.ts");
  const found = await examineDatabase({ url, patienceMs });
  return found.map((finding) => ({ name: "database", ...finding }));
}

function runtime(): Finding {
  return { name: "runtime", state: "ok", text: `Node ${process.version} on ${process.platform}` };
}

function disk({ home }: Config): Finding {
  const { bavail, bsize } = statfsSync(home);
  const free = Math.round((bavail * bsize) / 1_048_576);
  const text = `${free.toLocaleString("en")} MB free at ${home}`;
  if (free > 500) return { name: "disk", state: "ok", text };
  return {
    name: "disk",
    state: "problem",
    text: `${text}: runs pause when it is full. Free some space.`,
  };
}

async function processes(journal: Journal): Promise<Finding> {
  const { serve, runners, url } = await readStatus(journal);
  if (serve && runners.length > 0)
    return { name: "processes", state: "ok", text: `running at ${url}` };
  const missing = [!serve && "server", runners.length === 0 && "runner"]
    .filter(Boolean)
    .join(" or ");
  return { name: "processes", state: "note", text: `no ${missing}: "${START}" starts both` };
}

async function volumes({ volumes: here }: Config, journal: Journal): Promise<Finding> {
  const name = "volumes";
  const { waiting_volumes: waiting } = await readStatus(journal);
  if (waiting.length > 0) {
    const each = waiting.map(({ volume, runs }) => `${volume} (${runs.length})`).join(", ");
    const text = `runs wait for a runner that reaches ${each}: start one with --volume name=/path`;
    return { name, state: "problem", text };
  }
  const mounts = Object.entries(here).map(([volume, path]) => `${volume} at ${path}`);
  return { name, state: "ok", text: mounts.join(", ") || "none; no run waits for one" };
}

async function port({ port: wanted, host }: Config, journal: Journal): Promise<Finding> {
  const { url } = await readStatus(journal);
  if (wanted === 0 || url?.endsWith(`:${wanted}`))
    return { name: "port", state: "ok", text: `${wanted}` };
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(wanted, host, () => resolve(true));
  });
  server.close();
  if (free) return { name: "port", state: "ok", text: `${wanted} is free` };
  return {
    name: "port",
    state: "problem",
    text: `${wanted} is taken by another program: use --port`,
  };
}

async function sandbox({ sandbox: choice }: Config): Promise<Finding> {
  const name = "sandbox";
  if (choice === "off") {
    return { name, state: "note", text: `switched off: ${UNPROTECTED}. Set sandbox to auto` };
  }
  const found = await findSandbox();
  if (found.kind === "bubblewrap") {
    const text = `${found.path} works: commands see the workspace and the system, not your home, and have no network unless allowed`;
    return { name, state: "ok", text };
  }
  if (choice === "required") {
    const text = `required, and there is none: ${found.why}. No tool will run. ${found.fix}`;
    return { name, state: "problem", text };
  }
  return { name, state: "note", text: `none: ${found.why}. ${UNPROTECTED}. ${found.fix}` };
}

const UNPROTECTED =
  "commands run with your rights, so they can read your home (keys, other projects), change any of your files " +
  "and use the network. File tools still stay in the workspace. Approve commands with care";

function limits({ tool_memory_mb, tool_processes }: Config): Finding {
  const text = `per command ${tool_memory_mb.toLocaleString("en")} MB and ${tool_processes} processes`;
  if (process.platform === "linux") return { name: "limits", state: "ok", text };
  return {
    name: "limits",
    state: "note",
    text: `${text} are watched on Linux only; time limits hold`,
  };
}

async function model(config: Config): Promise<Finding> {
  const name = "model";
  const chosen = config.model;
  if (chosen.startsWith("demo/")) {
    const [local] = (await listModels(modelSettings(config))).filter(isLocalModel);
    const example = local
      ? `${local.provider}/${local.id} (found)`
      : "anthropic/…, openai/…, google/…";
    return {
      name,
      state: "note",
      text: `the scripted demo. Set QUARTERDECK_MODEL, e.g. ${example}`,
    };
  }
  if (!config.base_url) return servedModel(config, chosen);
  try {
    const headers = config.keys.model ? { authorization: `Bearer ${config.keys.model}` } : {};
    const url = `${config.base_url.replace(/\/$/, "")}/models`;
    const { status } = await fetch(url, { headers, signal: AbortSignal.timeout(5_000) });
    if (status === 401 || status === 403) {
      return {
        name,
        state: "problem",
        text: `${config.base_url} refuses the key: check QUARTERDECK_API_KEY`,
      };
    }
    return { name, state: "ok", text: `${chosen} at ${config.base_url}` };
  } catch {
    return {
      name,
      state: "problem",
      text: `${config.base_url} does not answer: check QUARTERDECK_BASE_URL`,
    };
  }
}

/** Whether there is anyone to serve it: a key, or a server on this machine. */
function servedModel(config: Config, chosen: string): Finding {
  try {
    const { contextWindow, price } = resolveModel(modelSettings(config))(chosen);
    const size = contextWindow === null ? "window unknown" : `${contextWindow} tokens`;
    const cost = price === null ? "price unknown" : "price known";
    return { name: "model", state: "ok", text: `${chosen} (${size}, ${cost})` };
  } catch (error) {
    return { name: "model", state: "problem", text: (error as Error).message };
  }
}

function isLocalModel({ provider }: { provider: string }): boolean {
  return provider === "ollama" || provider === "lmstudio";
}

function webPage(): Finding {
  const built = existsSync(join(WEB, "index.html"));
  if (built) return { name: "web page", state: "ok", text: "built" };
  return { name: "web page", state: "note", text: 'not built: "npm start" builds it' };
}
