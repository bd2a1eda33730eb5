// A browser for the agent. What is opened or done is decided on the host of the page: the call names it, and it is done
// only if the page is still there. Reading is about what such calls brought: pages of other hosts are not read (BR3). Opening, clicking and typing may have effects, so they are never repeated by
// themselves.
import { z } from "zod";
import type { BrowserHosts } from "../host/hosts.ts";
import type { BrowserAction, PageAnswer } from "../host/frames.ts";
import { keptText } from "../../../kernel/run/web/tool-results.ts";
import {
  defineTool,
  failure,
  OutcomeUnknown,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../../kernel/run/tools/tool.ts";

const host = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^\s/@?#\\]+$/, "a host alone: example.org")
  .describe("The host of the page, as the last browser answer said it");
const target = z
  .string()
  .min(1)
  .max(1_000)
  .describe("A ref of the page's text, such as e12, or a CSS selector");
const onHost = ({ host: name }: { host: string }) =>
  [{ kind: "network", url: `http://${name}/` }] as const;

export function createBrowserTools(hosts: Pick<BrowserHosts, "call">): Tool[] {
  const act = (request: BrowserAction, context: ToolContext) => execute(hosts, request, context);
  return [
    openTool(act),
    defineTool({
      ...SAFE,
      name: "browser_read",
      description:
        "Read the page in the browser as a tree of its text, with refs ([ref=e12]) for what can be clicked or typed into.",
      input: z.object({
        selector: z.string().min(1).max(1_000).optional().describe("Only this part of the page"),
      }),
      label: ({ selector }) => `Read the page${selector === undefined ? "" : `: ${selector}`}`,
      execute: (input, context) => act({ action: "read", ...input }, context),
    }),
    defineTool({
      ...EFFECT,
      name: "browser_click",
      description: "Click something on the page in the browser. Answers with the page afterwards.",
      input: z.object({ host, target }),
      label: ({ host: name, target: what }) => `Click ${what} at ${name}`,
      access: onHost,
      execute: (input, context) => act({ action: "click", ...input }, context),
    }),
    defineTool({
      ...EFFECT,
      name: "browser_type",
      description:
        "Type into a field of the page in the browser, in place of what is there; in a list of choices, choose. " +
        "What is typed is kept in the journal: no secrets.",
      input: z.object({
        host,
        target,
        text: z.string().max(20_000),
        submit: z.boolean().default(false).describe("Press Enter afterwards"),
      }),
      label: ({ host: name, target: what, text, submit }) =>
        `Type “${text.slice(0, 200)}” into ${what} at ${name}${submit ? " and press Enter" : ""}`,
      access: onHost,
      execute: (input, context) => act({ action: "type", ...input }, context),
    }),
    defineTool({
      ...SAFE,
      name: "browser_screenshot",
      description: "Take a picture of the page in the browser. It is kept, and shown to people.",
      input: z.object({ full_page: z.boolean().default(false) }),
      label: ({ full_page }) => `Screenshot of the ${full_page ? "whole " : ""}page`,
      execute: (input, context) => act({ action: "screenshot", ...input }, context),
    }),
  ];
}

const SAFE = { risk: "read", replay: "safe", inOrder: true } as const;
const EFFECT = { risk: "network", replay: "ask", inOrder: true } as const;
type Act = (request: BrowserAction, context: ToolContext) => Promise<ToolResult>;

function openTool(act: Act): Tool {
  return defineTool({
    ...EFFECT,
    name: "browser_open",
    description:
      "Open an address in the browser, with its scripts, cookies and forms. Answers with the page as browser_read does. " +
      "For pages that are only read, web_fetch is cheaper.",
    input: z.object({ url: z.string().min(1).max(8_192).describe("An http or https address") }),
    label: ({ url }) => `Open ${url}`,
    access: ({ url }) => [{ kind: "network", url }],
    execute: ({ url }, context) => act({ action: "open", url }, context),
  });
}

const LOST: ReadonlySet<string> = new Set(["host_died", "aborted"]);

async function execute(
  hosts: Pick<BrowserHosts, "call">,
  request: BrowserAction,
  context: ToolContext,
): Promise<ToolResult> {
  const { log, signal, claimedUntil } = context;
  const { sessionId, runId, parentRunId } = log.state;
  // Subagents work side by side: each has a tab of its own.
  const tab = parentRunId === null ? sessionId : runId;
  const reply = await hosts.call({ tab, request, notAfter: await claimedUntil(), signal });
  signal.throwIfAborted();
  if (reply.ok) return resultOf(reply.answer, request, context);
  const { code, message } = reply.error;
  const isEffect = request.action !== "read" && request.action !== "screenshot";
  if (LOST.has(code) && isEffect) throw new OutcomeUnknown(message);
  if (code !== "host_died") return failure(code, message);
  return failure("page_gone", "The browser ended, and the page with it. Open it again.");
}

async function resultOf(
  answer: PageAnswer,
  { action }: BrowserAction,
  { log }: ToolContext,
): Promise<ToolResult> {
  const { png, text, ...about } = answer;
  const shot = png === undefined ? undefined : await kept(Buffer.from(png, "base64"), log);
  const words = [
    about.title === null ? about.url : `${about.title}\n${about.url}`,
    about.host !== null && `host: ${about.host}`,
    about.status !== null && about.status >= 400 && `The server answered ${about.status}.`,
    ...about.notes.map((note) => `[${note}]`),
    shot && `[A screenshot of ${shot.width}×${shot.height} pixels is kept as ${shot.sha256}.]`,
    text !== null && `\n${text}`,
  ];
  const output = await keptText(words.filter(Boolean).join("\n"), log.journal);
  const result = { action, ...about, ...(shot && { screenshot: shot }) };
  return { ok: true, result, output };
}

/** In the blob store before the result names it. */
async function kept(png: Buffer, { journal }: ToolContext["log"]) {
  const blob = journal.blobs.create();
  try {
    await blob.write(png);
    const { sha256, bytes } = await blob.finish();
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]; // as every PNG begins
    return { sha256, bytes, media_type: "image/png", width, height };
  } finally {
    await blob.discard();
  }
}
