// How rows of the web console look at what was served: paths into it, kinds of values, and rows of one line.
import assert from "node:assert/strict";
import type { Answer } from "../../support/http.ts";
import type { Acted } from "./acts.ts";
import type { ConsoleFrame, ConsoleWorld, Data } from "./world.ts";
import type { Row } from "../suite.ts";

export type ConsoleRow = Row<ConsoleWorld>;

/** `at(body, "data.sessions.0.title")` */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => (inner as Data | null)?.[key], value);
}

const KINDS = {
  text: (value) => typeof value === "string" && value !== "",
  "text or null": (value) => value === null || (typeof value === "string" && value !== ""),
  time: isTime,
  "time or null": (value) => value === null || isTime(value),
  number: (value) => typeof value === "number" && value >= 0,
  boolean: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  texts: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string"),
} satisfies Record<string, (value: unknown) => boolean>;
export type Kind = keyof typeof KINDS;

function isTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value);
}

export function isKind(value: unknown, kind: Kind, where: string): void {
  assert.ok(KINDS[kind](value), `${where} is no ${kind}: ${JSON.stringify(value)}`);
}

/** Rows "field X of the resource": of everything of its sort that was served. */
export function fieldsOf(resource: string, from: (world: ConsoleWorld) => readonly Data[]) {
  return (
    id: string,
    path: string,
    kind: Kind,
    deps: string,
    more: (value: unknown, item: Data, world: ConsoleWorld) => void = () => undefined,
  ): ConsoleRow => ({
    id,
    says: `A ${resource} has \`${path}\`: ${deps}.`,
    check(world) {
      const items = from(world);
      assert.ok(items.length > 0, `no ${resource} was served`);
      for (const item of items) {
        isKind(at(item, path), kind, `${resource}.${path}`);
        more(at(item, path), item, world);
      }
    },
  });
}

export function ok({ status, body }: Answer): Data {
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.ok, true);
  return body.data;
}

/** What a refusal says; its envelope is the document's. */
export function refused({ status, body }: Answer, http: number, code: string): Data {
  assert.deepEqual([status, body.ok, body.error.code], [http, false, code], JSON.stringify(body));
  isKind(body.error.message, "text", "error.message");
  isKind(body.error.details, "object", "error.details");
  return body.error.details;
}

/** The document's capability envelope. */
export function unsupported({ status, body }: Answer): Data {
  assert.deepEqual([status, body.ok, body.data["supported"]], [200, true, false]);
  isKind(body.data["reason"], "text", "reason");
  isKind(body.data["details"], "object", "details");
  return body.data;
}

export function listIn(data: Data, name: string): Data[] {
  assert.ok(Array.isArray(data[name]), `${name} is a list`);
  return data[name] as Data[];
}

export function framesOf({ frames }: Acted, type: string): ConsoleFrame[] {
  const found = frames.filter((frame) => frame.type === type);
  assert.ok(found.length > 0, `no ${type} was told`);
  return found;
}

/** The first frame of a type whose payload says so. */
export function frameOf({ frames }: Acted, type: string, about: Data): ConsoleFrame {
  const found = frames.find(
    (frame) =>
      frame.type === type &&
      Object.entries(about).every(([name, value]) => frame.payload[name] === value),
  );
  assert.ok(found, `no ${type} of ${JSON.stringify(about)}`);
  return found;
}

/** The call of a tool in the timeline; the first with that status. */
export function callOf({ timeline }: Acted, tool: string, status = "completed"): Data {
  const found = timeline.find((call) => call["tool_name"] === tool && call["status"] === status);
  assert.ok(found, `no ${tool} that ${status}`);
  return found;
}
