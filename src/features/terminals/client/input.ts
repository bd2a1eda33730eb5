// What was typed and is not taken yet. One piece is on its way at a time and carries a number: after a lost
// connection it is sent again, and the server takes it once.

export type TerminalInput = {
  type(text: string): void;
  /** The socket is open, and the server has taken everything up to this number. */
  attached(taken: number): void;
  lost(): void;
  taken(n: number): void;
};

const PIECE = 8_192; // characters

export function terminalInput(send: (n: number, data: string) => void): TerminalInput {
  let waiting = "";
  let last = 0;
  let way: { readonly n: number; readonly data: string } | undefined;
  let open = false;

  function next(): void {
    if (!open || way || waiting === "") return;
    const data = pieceOf(waiting);
    waiting = waiting.slice(data.length);
    way = { n: (last += 1), data };
    send(way.n, way.data);
  }

  return {
    type(text) {
      waiting += text;
      next();
    },
    attached(taken) {
      open = true;
      if (way && way.n <= taken) way = undefined;
      if (way) send(way.n, way.data);
      next();
    },
    lost() {
      open = false;
    },
    taken(n) {
      if (way && way.n <= n) way = undefined;
      next();
    },
  };
}

/** Never half of a character. */
function pieceOf(text: string): string {
  const piece = text.slice(0, PIECE);
  const cut = piece.length < text.length && /[\ud800-\udbff]$/.test(piece);
  return cut ? piece.slice(0, -1) : piece;
}
