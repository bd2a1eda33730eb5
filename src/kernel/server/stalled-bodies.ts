// Ends uploads that stop arriving. A slow upload may take as long as it needs, but an abandoned one must not hold its
// connection. A limit on the whole upload would cut a slow one off at the same place every time.
import type { IncomingMessage, ServerResponse } from "node:http";

/** For a request as it begins. Who was answered is not waited for. */
export function endWhenStalled(
  request: IncomingMessage,
  response: ServerResponse,
  stallMs: number,
): void {
  const { socket } = request;
  if (!hasUnreadBody(request)) return;
  let seen = -1;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    if (socket.bytesRead === seen) socket.destroy();
    seen = socket.bytesRead;
  }, stallMs).unref();
  request.once("close", () => clearInterval(timer));
  response.once("finish", () => clearInterval(timer));
}

export function hasUnreadBody({ headers, complete }: IncomingMessage): boolean {
  return !complete && ("content-length" in headers || "transfer-encoding" in headers);
}

/**
 * Reads on, for a while, what was refused for its size: whoever is still sending when the connection ends is told that
 * it was reset, and never sees the answer.
 */
export function readOn(
  request: IncomingMessage,
  { bytes, ms }: { readonly bytes: number; readonly ms: number },
): void {
  const { socket } = request;
  const from = socket.bytesRead;
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  for (const over of ["end", "close"]) request.once(over, () => clearTimeout(timer));
  request.on("data", () => {
    if (socket.bytesRead - from > bytes) socket.destroy();
  });
  request.resume();
}
