// The shape of every id that enters from outside. Ids end up in JSON written by hand, SSE `id:` lines
// and file names, so anything that would need escaping there is refused at the door.
import { z } from "zod";

export const RunId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, "letters, digits, '_', '.', '-' (at most 128)");
/** Session ids also allow ':' (terminal channels are named `terminal-dev:local:<peer>`). */
export const SessionId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,127}$/, "letters, digits, '_', '.', ':', '@', '-'");
export const ProjectId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, "letters, digits, '_', '.', '-' (at most 128)");
/** What a client calls its own message or command; it decides what is a duplicate (rule C2). */
export const ClientKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 visible ASCII characters");
