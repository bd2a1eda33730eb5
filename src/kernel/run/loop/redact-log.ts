// Redacts text that reaches the log in pieces. Each channel (a message, reasoning, one stream of a command) has a
// window, so that a secret split between two pieces is found. Complete values are redacted where the journal appends
// them.
import type { Redacting, Redactor } from "../../redact/redact.ts";

export type Channels<Piece, Channel extends string = string> = {
  /** What may be shown of it now. Empty while it could be the beginning of a secret. */
  push(channel: Channel, piece: Piece): Piece;
  /** The rest of one channel: it said its last. Always to be called before what closes the block. */
  end(channel: Channel): Piece;
  /** The rest of every channel that has one, in the order they began. */
  endAll(): readonly { readonly channel: Channel; readonly rest: Piece }[];
};

export function redactedText(redactor: Redactor | undefined): Channels<string> {
  return redactor ? channelsOf(redactor.stream, "") : passing("");
}

/** Before anything is counted, hashed, cut or stored: all of that is about what may be shown. */
export function redactedOutput<Channel extends string>(
  redactor: Redactor | undefined,
): Channels<Buffer, Channel> {
  return redactor ? channelsOf(redactor.bytes, NO_BYTES) : passing(NO_BYTES);
}

const NO_BYTES = Buffer.alloc(0);

function channelsOf<Piece extends { readonly length: number }, Channel extends string>(
  open: () => Redacting<Piece>,
  nothing: Piece,
): Channels<Piece, Channel> {
  const channels = new Map<Channel, Redacting<Piece>>();
  const end = (channel: Channel) => {
    const rest = channels.get(channel)?.end() ?? nothing;
    channels.delete(channel);
    return rest;
  };
  return {
    push(channel, piece) {
      const known = channels.get(channel) ?? open();
      channels.set(channel, known);
      return known.push(piece);
    },
    end,
    endAll: () =>
      [...channels.keys()]
        .map((channel) => ({ channel, rest: end(channel) }))
        .filter(({ rest }) => rest.length > 0),
  };
}

function passing<Piece, Channel extends string>(nothing: Piece): Channels<Piece, Channel> {
  return { push: (_channel, piece) => piece, end: () => nothing, endAll: () => [] };
}
