// MCP over the standard input and output of a program in the tool host: one JSON message per line.
// Memory stays bounded whatever the program prints; one that floods or babbles is ended.
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { HostPipe, HostPipeExit } from "../../workspace/client/tool-host/client.ts";
import { createLineSplitter } from "../../workspace/host/frame-lines.ts";
import { McpUnavailable } from "./mcp-errors.ts";

const MAX_LINE = 4_194_304;
const MAX_BAD_LINES = 1_000; // in a row: some servers greet people on their standard output
const MALFORMED = -32_700;

export class PipeTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  /** Why we ended it, when we did: it broke the protocol. */
  fault: string | undefined;
  /** The last it said on its standard error, once it has ended. */
  lastWords = "";
  readonly #open: (signal: AbortSignal) => Promise<HostPipe>;
  readonly #closing = new AbortController();
  readonly #split = createLineSplitter(MAX_LINE);
  #pipe: HostPipe | undefined;
  #unended = 0; // bytes since the last end of a line
  #bad = 0;

  constructor(open: (signal: AbortSignal) => Promise<HostPipe>) {
    this.#open = open;
  }

  async start(): Promise<void> {
    const pipe = await this.#open(this.#closing.signal);
    this.#pipe = pipe;
    if (this.#closing.signal.aborted) {
      await pipe.kill();
      throw new McpUnavailable("It was closed while it started.");
    }
    pipe.onExit((exit) => this.#ended(exit));
    pipe.onData((chunk) => this.#take(chunk));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#pipe || this.#closing.signal.aborted) throw new McpUnavailable("It has ended.");
    this.#pipe.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#end();
    await this.#pipe?.kill();
  }

  #ended({ stderr }: HostPipeExit): void {
    this.lastWords = stderr.slice(-500).trim();
    this.#end();
  }

  #end(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.onclose?.();
  }

  #take(chunk: Buffer): void {
    const end = chunk.lastIndexOf(10);
    this.#unended = end < 0 ? this.#unended + chunk.byteLength : chunk.byteLength - end - 1;
    for (const { text, overlong } of this.#split(chunk)) {
      if (this.#closing.signal.aborted) return;
      if (overlong) return this.#giveUp("It sent a message that is too large.");
      this.#line(text);
    }
    if (this.#unended > MAX_LINE) this.#giveUp("It sent a message that is too large.");
  }

  #line(text: string): void {
    let message: JSONRPCMessage | undefined;
    try {
      message = deserializeMessage(text);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      message = refusalOf(text);
      this.#bad += 1;
      if (this.#bad > MAX_BAD_LINES) return this.#giveUp("What it sends is not MCP.");
      if (!message) return;
    }
    if (!isRefusal(message)) this.#bad = 0;
    this.onmessage?.(message);
  }

  #giveUp(why: string): void {
    this.fault = why;
    this.#end();
    // Nobody waits for it: the tool host ends what is left with itself.
    this.#pipe?.kill().catch((error: unknown) => this.onerror?.(error as Error));
  }
}

/** An answer that is none still ends the call it names, instead of letting it wait. */
function refusalOf(text: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(text) as { id?: unknown; method?: unknown } | null;
    const id = value?.id;
    if (typeof id !== "number" || value?.method !== undefined) return undefined;
    return { jsonrpc: "2.0", id, error: { code: MALFORMED, message: "The answer is malformed." } };
  } catch {
    return undefined;
  }
}

function isRefusal(message: JSONRPCMessage): boolean {
  return "error" in message && message.error.code === MALFORMED;
}
