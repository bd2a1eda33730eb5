// What came of a call in a few words ("12 matches"), as the console's document shows it. Clients put it on the screen
// as it is: it is never JSON.
import type { PayloadOf } from "../../../kernel/events/events.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

const MAX = 120; // characters
const FIELDS = 4; // of a result nobody knows here

type Done = Pick<PayloadOf<"tool.done">, "status" | "result" | "output" | "error" | "exit_code">;
type Fields = Readonly<Record<string, unknown>>;

/** What a result counts, by the name of the field; the first that is there is told. */
const COUNTED: readonly (readonly [field: string, one: string, many: string])[] = [
  ["matches", "match", "matches"],
  ["results", "result", "results"],
  ["hits", "hit", "hits"],
  ["todos", "item", "items"],
  ["processes", "process", "processes"],
  ["skills", "skill", "skills"],
  ["entries", "entry", "entries"],
];

export function summaryOf({ status, result, output, error, exit_code }: Done): string {
  if (error) return preview(error.message, MAX) || status;
  const fields = isFields(result) ? result : {};
  const said =
    counted(fields) ?? fileIn(fields) ?? (output.head.trim() || undefined) ?? processIn(fields);
  const exited = exit_code === null ? undefined : `exit code ${exit_code}`;
  return preview(said ?? exited ?? plain(result), MAX) || status;
}

function counted(fields: Fields): string | undefined {
  for (const [field, one, many] of COUNTED) {
    const value = fields[field];
    const count = Array.isArray(value) ? value.length : value;
    if (typeof count === "number") return `${count} ${count === 1 ? one : many}`;
  }
  return undefined;
}

function fileIn({ file, area, bytes }: Fields): string | undefined {
  if (!isFields(file) || typeof file["path"] !== "string") return undefined;
  const lines = isFields(area) ? linesOf(area) : "";
  const size = lines === "" && typeof bytes === "number" ? `, ${bytes} bytes` : "";
  return `${file["path"]}${lines}${size}`;
}

function linesOf({ startLine, endLine }: Fields): string {
  return `, lines ${Number(startLine)} to ${Number(endLine)}`;
}

function processIn({ process_id }: Fields): string | undefined {
  return typeof process_id === "string" ? `process ${process_id}` : undefined;
}

/** The plain fields of a result, as words. That it went well is no news. */
function plain(result: unknown): string {
  if (typeof result === "string" || typeof result === "number") return String(result);
  const words = Object.entries(isFields(result) ? result : {}).flatMap(([name, value]) => {
    const isPlain = typeof value === "string" || typeof value === "number";
    return isPlain && name !== "ok" ? [`${name.replaceAll("_", " ")}: ${value}`] : [];
  });
  return words.slice(0, FIELDS).join(", ");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
