// The ways a call of a foreign tool ends without an answer. Which one it is decides whether a person
// is asked (X3): only what provably never left is a plain failure to reach the server.

/** Nothing was sent: the call has not happened. */
export class McpUnavailable extends Error {
  override name = "McpUnavailable";
  /** It is there and would not talk to us. */
  readonly refused: boolean;
  constructor(message: string, { refused = false }: { refused?: boolean } = {}) {
    super(message);
    this.refused = refused;
  }
}

/** The server did answer, or we gave up on it: the model reads why. */
export class McpFailure extends Error {
  override name = "McpFailure";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, 1_000).toWellFormed();
}
