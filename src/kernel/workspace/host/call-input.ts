// Parses a tool's input, which a model wrote. Any other shape is refused before a path is opened or a command
// started.
import { isRecord } from "./frames.ts";
import { ToolError } from "./tool-error.ts";

export function record(input: unknown): Record<string, unknown> {
  if (!isRecord(input)) throw new ToolError("invalid_request", "input must be an object");
  return input;
}

export function text(input: Record<string, unknown>, name: string): string {
  const value = input[name];
  if (typeof value !== "string") throw new ToolError("invalid_request", `${name} must be a string`);
  return value;
}

/** For paths and commands: the kernel ends a string at NUL, so what was approved must not hold one. */
export function plainText(input: Record<string, unknown>, name: string): string {
  const value = text(input, name);
  if (value === "" || value.includes("\0")) {
    throw new ToolError("invalid_request", `${name} must not be empty or hold a NUL character`);
  }
  return value;
}

export function number(
  input: Record<string, unknown>,
  name: string,
  range: { fallback: number; min: number; max: number; whole: boolean },
): number {
  const value = input[name] ?? range.fallback;
  if (typeof value !== "number" || !(value >= range.min && value <= range.max)) {
    throw new ToolError("invalid_request", `${name} must be ${range.min} to ${range.max}`);
  }
  if (range.whole && !Number.isInteger(value)) {
    throw new ToolError("invalid_request", `${name} must be a whole number`);
  }
  return value;
}

export function flag(input: Record<string, unknown>, name: string): boolean {
  const value = input[name] ?? false;
  if (typeof value !== "boolean")
    throw new ToolError("invalid_request", `${name} must be a boolean`);
  return value;
}

export function list(input: Record<string, unknown>, name: string, max: number): unknown[] {
  const value = input[name];
  if (!Array.isArray(value) || value.length > max) {
    throw new ToolError("invalid_request", `${name} must be a list of at most ${max}`);
  }
  return value;
}
