// One connection to one MCP server. It says of every call that failed whether it can have happened:
// what was handed to the server and not answered is OutcomeUnknown (X3).
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type CallToolResult,
  type JSONRPCMessage,
  type Progress,
  type Transport,
} from "@modelcontextprotocol/client";
import { OutcomeUnknown, type ClaimedUntil } from "../tools/tool.ts";
import { AddressRefused, HostNotFound } from "../web/resolve-host.ts";
import { NotConnected } from "../web/send-request.ts";
import { describeTool, type ForeignTool, type Refused } from "./describe-tool.ts";
import { McpFailure, McpUnavailable, messageOf } from "./mcp-errors.ts";

const MAX_PAGES = 64;
const MAX_TOOLS = 256;

/** A transport that knows why it was closed, when it was not the server that ended. */
export type McpTransport = Transport & {
  readonly fault?: string | undefined;
  readonly lastWords?: string;
};

export type ConnectOptions = {
  readonly server: string;
  readonly transport: McpTransport;
  readonly timeoutMs: number;
  readonly onListChanged: () => void;
  /** How it is greeted: as servers before July 2026 are, or by asking what it is first. */
  readonly era: "legacy" | "auto";
};

export type CallRequest = {
  readonly tool: ForeignTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly notAfter: ClaimedUntil;
  readonly onProgress: (progress: Progress) => void;
};

/** Identity is the proof: no server can send this object. */
const LOST = { lost: true };
type CallState = {
  sent: boolean;
  readonly notAfter: ClaimedUntil;
  readonly ended: AbortController;
};

export class McpConnection {
  readonly #server: string;
  readonly #transport: McpTransport;
  readonly #client: Client;
  /** By their arguments: the one object that travels through the SDK as it is. */
  readonly #calls = new WeakMap<object, CallState>();
  #open = true;
  #retired = false;
  #inFlight = 0;

  private constructor({ server, transport, onListChanged, era }: ConnectOptions) {
    this.#server = server;
    this.#transport = transport;
    this.#client = new Client(
      { name: "quarterdeck", version: "0.1.0" },
      {
        // Schemas of strangers are not compiled into code here: the server validates (B3).
        jsonSchemaValidator: {
          getValidator: () => (input) => ({
            valid: true,
            data: input as never,
            errorMessage: undefined,
          }),
        },
        versionNegotiation: { mode: era },
        inputRequired: { autoFulfill: false },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChanged } },
      },
    );
    this.#client.onclose = () => void (this.#open = false);
    this.#client.onerror = () => undefined; // whoever waits for an answer hears of it there
    this.#watchSending();
  }

  static async connect(options: ConnectOptions): Promise<McpConnection> {
    const connection = new McpConnection(options);
    try {
      await connection.#client.connect(options.transport, { timeout: options.timeoutMs });
      return connection;
    } catch (error) {
      await connection.close();
      const refused = error instanceof ProtocolError || error instanceof SdkHttpError;
      throw new McpUnavailable(connection.#why(error), { refused });
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0;
  }

  async list(options: {
    timeoutMs: number;
    signal?: AbortSignal;
  }): Promise<{ tools: ForeignTool[]; refused: Refused[] }> {
    const tools: ForeignTool[] = [];
    const refused: Refused[] = [];
    if (!this.#client.getServerCapabilities()?.tools) return { tools, refused };
    const { timeoutMs: timeout, signal } = options;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { method: "tools/list", params } as const;
      const answer = await this.#client.request(request, { timeout, ...(signal && { signal }) });
      for (const listed of answer.tools) {
        const tool = describeTool(this.#server, listed);
        if ("problem" in tool) refused.push(tool);
        else tools.push(tool);
        if (tools.length + refused.length > MAX_TOOLS)
          throw new McpFailure("mcp_malformed", `It lists more than ${MAX_TOOLS} tools.`);
      }
      cursor = answer.nextCursor;
      if (cursor === undefined) return { tools, refused };
    }
    throw new McpFailure("mcp_malformed", "Its list of tools does not end.");
  }

  async call(request: CallRequest): Promise<CallToolResult> {
    const { tool, input, timeoutMs, signal, notAfter, onProgress } = request;
    if (!this.#open) throw new McpUnavailable("It has ended.");
    const args = { ...input };
    const state: CallState = { sent: false, notAfter, ended: new AbortController() };
    this.#calls.set(args, state);
    this.#inFlight += 1;
    try {
      return await this.#client.callTool(
        { name: tool.original, arguments: args },
        {
          timeout: timeoutMs,
          signal,
          onprogress: onProgress,
          toolDefinition: { name: tool.original, inputSchema: tool.inputSchema },
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      throw this.#ending(error, state);
    } finally {
      this.#inFlight -= 1;
      state.ended.abort();
      if (this.#retired) await this.retire();
    }
  }

  /** Closes it once nobody waits for an answer. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (!this.isBusy) await this.close();
  }

  async close(): Promise<void> {
    this.#open = false;
    await this.#transport.close().catch(() => undefined);
  }

  /** Notes when a call leaves, and ends it when the stream of its answer breaks off. */
  #watchSending(): void {
    const transport = this.#transport;
    const send = transport.send.bind(transport);
    transport.send = async (message, options = {}) => {
      const state = this.#stateOf(message);
      if (!state || !("id" in message)) return send(message, options);
      // A runner that slept must not do what another one does by now (X5).
      if (process.hrtime.bigint() >= (await state.notAfter()))
        throw new McpFailure("claim_ended", "Nothing was sent: this runner lost the run.");
      state.sent = true;
      const { id } = message;
      const error = { code: -32_000, message: "lost", data: LOST };
      const lost = { jsonrpc: "2.0", id, error } as JSONRPCMessage;
      await send(message, {
        ...options,
        onRequestStreamEnd: () => transport.onmessage?.(lost),
        // Nothing of a call outlives it, not even the request that a server leaves open.
        requestSignal: options.requestSignal
          ? AbortSignal.any([state.ended.signal, options.requestSignal])
          : state.ended.signal,
      });
    };
  }

  #stateOf(message: JSONRPCMessage): CallState | undefined {
    if (!("method" in message) || message.method !== "tools/call") return undefined;
    const args = message.params?.["arguments"];
    return typeof args === "object" && args !== null ? this.#calls.get(args) : undefined;
  }

  #ending(error: unknown, { sent }: CallState): Error {
    if (error instanceof McpFailure) return error;
    if (!sent || neverLeft(error)) return new McpUnavailable(messageOf(error));
    if (error instanceof ProtocolError && error.data !== LOST)
      return new McpFailure("mcp_error", `It answered with an error: ${messageOf(error)}`);
    const answered = error instanceof SdkError ? this.#answered(error) : undefined;
    return answered ?? new OutcomeUnknown(`${this.#server} was lost during the call`);
  }

  /** What an error of the SDK says about the call, unless it says that the server is gone. */
  #answered(error: SdkError): Error | undefined {
    const maybe = "It may have done what it was asked to.";
    if (error instanceof SdkHttpError) {
      if (error.status === 404) return new McpUnavailable("It has forgotten this session.");
      // A proxy speaks for a server that is gone.
      if (error.status === 502 || error.status === 504) return undefined;
      return new McpFailure("mcp_error", `It answered ${error.status}. ${maybe}`);
    }
    if (error.code === SdkErrorCode.RequestTimeout)
      return new McpFailure("mcp_timeout", `It did not answer in time. ${maybe}`);
    if (error.code === SdkErrorCode.UnsupportedResultType)
      return new McpFailure("mcp_unsupported", "It asks back, which cannot be answered here.");
    if (error.code === SdkErrorCode.ConnectionClosed)
      return this.#transport.fault === undefined
        ? undefined
        : new McpFailure("mcp_malformed", `${this.#transport.fault} ${maybe}`);
    return new McpFailure("mcp_malformed", `Its answer is malformed. ${maybe}`);
  }

  #why(error: unknown): string {
    return withLastWords(this.#transport.fault ?? messageOf(error), this.#transport);
  }
}

/** The end of what the program printed as errors is usually the reason. */
export function withLastWords(message: string, { lastWords }: McpTransport): string {
  return lastWords ? `${message} It said: ${lastWords}` : message;
}

function neverLeft(error: unknown): boolean {
  return (
    error instanceof NotConnected ||
    error instanceof AddressRefused ||
    error instanceof HostNotFound ||
    error instanceof McpUnavailable
  );
}
