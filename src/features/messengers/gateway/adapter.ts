// What a messenger is to the gateway. An adapter translates and remembers nothing: what was taken and what was sent is
// in the journal, so an adapter may be thrown away at any moment and another one goes on.
import type { MessagesAround } from "../store/messengers.ts";
import type { Block } from "../labels.ts";

/** `direct`: nobody else reads along. `addressed`: meant for us, where others talk too. */
export type Incoming = {
  readonly channel_id: string;
  readonly user_id: string;
  readonly user_name: string; // empty: the adapter may know it
  readonly message_id: string; // the same one is taken once
  readonly before?: string; // `missed` after it begins with this message
  readonly text: string;
  readonly files?: readonly IncomingFile[];
  readonly direct: boolean;
  readonly addressed: boolean;
};

/** A file that came with a message. `ref` means something to its adapter alone. */
export type IncomingFile = {
  readonly ref: string;
  readonly name: string;
  readonly bytes: number | undefined; // as the platform says
};

/** `data` is what we gave the button. */
export type Press = {
  readonly data: string;
  readonly channel_id: string;
  readonly user_id: string;
  readonly user_name: string;
};

export type Button = {
  readonly data: string; // at most 64 bytes
  readonly label: string;
  readonly style: "yes" | "no" | "plain";
};

/** `nonce` is the same whenever the same message is sent again. */
export type Outgoing = {
  readonly nonce: string;
  readonly blocks: readonly Block[];
  readonly buttons: readonly Button[];
};

export type OutgoingFile = {
  readonly nonce: string;
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array<ArrayBuffer>;
};

/** A message that was perhaps sent: its name, and ids of the channel that are not its own. */
export type Sought = MessagesAround & { readonly nonce: string };

export type Received = { readonly message: Incoming } | { readonly press: Press };

export type Handlers = {
  /**
   * Takes what `read` makes of an update, after everything that came before it in the channel. Settles when it is taken
   * for good, or counted as one that cannot be: only then may the platform be told so. With what whoever pressed is told.
   */
  readonly take: (channel: string, read: () => Received | undefined) => Promise<string | undefined>;
  /** The connection is over and does not come back by itself. */
  readonly lost: (error: unknown) => void;
};

export type Limits = {
  readonly length: number; // characters of one message
  readonly editMs: number | null; // between two edits of one that grows; null: only what is final is sent
};

export interface Adapter extends AsyncDisposable {
  readonly limits: Limits;
  /** Settles when connected, with what we are called there. */
  start(handlers: Handlers, signal: AbortSignal): Promise<{ readonly account: string }>;
  /** The id of the new message. */
  send(channel: string, outgoing: Outgoing): Promise<string>;
  edit(channel: string, id: string, outgoing: Outgoing): Promise<void>;
  remove(channel: string, id: string): Promise<void>;
  /** The id of a message that was perhaps sent; null: it was not. Left out where nobody can know. */
  find?(channel: string, sought: Sought): Promise<string | null>;
  /** What was said there since, oldest first: where nobody keeps it for us while we are away. */
  missed?(channel: string, after: string): Promise<readonly Incoming[]>;
  /** The content of a file that came with a message, from the platform's own servers and nowhere else. */
  download?(file: IncomingFile, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The id of the new message. Left out where files cannot be sent. */
  sendFile?(channel: string, file: OutgoingFile): Promise<string>;
  /** What somebody is called, where messages do not say so; empty when nobody knows. */
  nameOf?(userId: string): Promise<string>;
}

export type ProblemKind =
  | "package_missing" // its library is not installed
  | "not_configured" // a secret is missing
  | "unauthorized" // the token is wrong
  | "conflict" // somebody else uses the same token
  | "unreachable" // it may work again in a moment
  | "rate_limited"
  | "refused" // this message, for good
  | "gone" // the message to edit is not there
  | "internal"; // none of the platform's: an error of ours or of the storage

/** Its message is for people: no token, no address with one. */
export class PlatformProblem extends Error {
  readonly kind: ProblemKind;
  readonly retryMs: number | undefined;

  constructor(kind: ProblemKind, message: string, retryMs?: number) {
    super(message);
    this.name = "PlatformProblem";
    this.kind = kind;
    this.retryMs = retryMs;
  }
}

/** What a call of a library threw: the way to the platform may work again. It is not shown, it could carry a token. */
export function unreachable(error: unknown): PlatformProblem {
  if (error instanceof PlatformProblem) return error;
  return new PlatformProblem("unreachable", `The platform cannot be reached (${nameIn(error)}).`);
}

/** What the platform has nothing to do with is no problem of the way to it. */
export function problemOf(error: unknown): PlatformProblem {
  if (error instanceof PlatformProblem) return error;
  const message = `Something failed here (${nameIn(error)}); the log says more.`;
  return new PlatformProblem("internal", message);
}

function nameIn(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === "string" ? code : typeof name === "string" ? name : "unknown";
}

export async function loaded<Module>(
  packages: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const install = `npm install ${packages.join(" ")}`;
    throw new PlatformProblem("package_missing", `Its library is not installed: ${install}`);
  }
}
