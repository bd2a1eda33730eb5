// Codes that somebody unknown is given: 10 letters of a 32-letter alphabet without look-alikes are 50 bits. What is
// kept is a slow hash: whoever reads the database learns no code while it is good for something.
import { randomInt, scryptSync } from "node:crypto";

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LENGTH = 10;

export function newCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** As people type it: case, spaces and dashes mean nothing. */
export function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, "").toUpperCase();
}

/** In two halves: easier to read aloud. */
export function shownCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

export function hashOfCode(platform: string, code: string): string {
  return scryptSync(plainCode(code), `quarterdeck ${platform}`, 32, { N: 4_096 }).toString("hex");
}
