// The way to one MCP server: connected when first needed, again after it was lost, and less and less
// eagerly while it keeps failing.
import { settlesWithin } from "../../workspace/processes/settles-within.ts";
import { McpConnection, withLastWords, type McpTransport } from "./connection.ts";
import type { ForeignTool, Refused } from "./describe-tool.ts";
import { McpUnavailable, messageOf } from "./mcp-errors.ts";
import { untilAborted } from "../web/until-aborted.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const CLOSE_MS = 2_000;

export type LinkOptions = {
  readonly server: string;
  /** Makes a transport that is not started yet; throws McpUnavailable when it cannot. */
  readonly transport: () => McpTransport;
  readonly connectMs: number;
};

type Listing = { readonly tools: readonly ForeignTool[]; readonly refused: readonly Refused[] };
export type Ready = Listing & { readonly connection: McpConnection };

export class ServerLink implements AsyncDisposable {
  readonly #options: LinkOptions;
  #connecting: Promise<McpConnection> | undefined;
  #starting: McpTransport | undefined;
  #connection: McpConnection | undefined;
  #listing: Listing | undefined;
  #failures = 0;
  #notBefore = 0;
  #disposed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Its tools as last heard; asked for again only when the server said they changed. */
  async tools(signal: AbortSignal): Promise<Listing> {
    if (this.#listing && this.#connection?.isOpen) return this.#listing;
    return this.ready({ timeoutMs: this.#options.connectMs, signal });
  }

  /** A connection and the tools as they are now: asked before every call, for servers change quietly. */
  async ready(options: { timeoutMs: number; signal: AbortSignal }): Promise<Ready> {
    const { signal } = options;
    const open = this.#connection;
    if (open?.isOpen) {
      try {
        const timeoutMs = open.isBusy ? options.timeoutMs : this.#options.connectMs;
        return await this.#listed(open, { timeoutMs, signal });
      } catch (error) {
        signal.throwIfAborted();
        if (open.isOpen && open.isBusy) throw new McpUnavailable(messageOf(error)); // others still wait for it
        await open.close();
      }
    }
    const connection = await untilAborted((this.#connecting ??= this.#connect()), signal);
    try {
      return await this.#listed(connection, { timeoutMs: this.#options.connectMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      this.#failed();
      throw new McpUnavailable(messageOf(error));
    }
  }

  /** It did what it was asked: past failures no longer count. */
  worked(): void {
    this.#failures = 0;
  }

  /** It was lost, or is of no use any more: the next call begins afresh, others may still end on it. */
  async drop(connection: McpConnection): Promise<void> {
    if (this.#connection === connection) {
      this.#connection = undefined;
      this.#failed();
    }
    await connection.retire();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const starting = this.#starting?.close(); // a server that hangs must not hold up whoever leaves
    const connecting = this.#connecting?.then((connection) => connection.close());
    const closed = Promise.all([
      starting,
      connecting?.catch(() => undefined),
      this.#connection?.close(),
    ]);
    await settlesWithin(closed, CLOSE_MS);
  }

  async #listed(
    connection: McpConnection,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Ready> {
    const listing = await connection.list(options);
    this.#listing = listing;
    return { connection, ...listing };
  }

  async #connect(): Promise<McpConnection> {
    try {
      const wait = this.#notBefore - performance.now();
      if (this.#disposed) throw new McpUnavailable("It was closed.");
      if (wait > 0)
        throw new McpUnavailable(`It keeps failing. Next try in ${Math.ceil(wait / 1000)} s.`);
      this.#connection = await this.#attempt("legacy").catch((error: unknown) => {
        // Only the newest servers refuse to be greeted the old way; only some old ones survive the new.
        if (error instanceof McpUnavailable && error.refused) return this.#attempt("auto");
        throw error;
      });
      return this.#connection;
    } catch (error) {
      if (performance.now() >= this.#notBefore) this.#failed();
      throw error;
    } finally {
      this.#connecting = undefined;
      this.#starting = undefined;
    }
  }

  async #attempt(era: "legacy" | "auto"): Promise<McpConnection> {
    const { server, connectMs: timeoutMs } = this.#options;
    const onListChanged = () => void (this.#listing = undefined);
    const transport = this.#options.transport();
    this.#starting = transport;
    const connecting = McpConnection.connect({ server, transport, timeoutMs, onListChanged, era });
    if (await settlesWithin(connecting, timeoutMs)) return connecting;
    await settlesWithin(transport.close(), CLOSE_MS);
    const seconds = timeoutMs / 1000;
    const message = `It did not start within ${seconds} s. If it needs longer, set its startup_timeout_s.`;
    throw new McpUnavailable(withLastWords(message, transport));
  }

  /** The first failure costs nothing: a server may just have been restarted. */
  #failed(): void {
    this.#failures += 1;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 2), LONGEST_WAIT_MS);
    this.#notBefore = performance.now() + (this.#failures < 2 ? 0 : wait);
  }
}
