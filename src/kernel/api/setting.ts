// One record per setting: schema, flag, environment variable, `--help`, the form of the settings page and docs/settings.md
// follow from it. src/settings.ts joins the records of the program and of features.
import { z } from "zod";
import type { SettingRecord } from "./records/settings.ts";

/** Parts of the settings page, in its order. */
export const SECTIONS = {
  models: "Models",
  runs: "Runs",
  tools: "Tools",
  media: "Voice",
  access: "Access",
  storage: "Storage",
} as const;

export type Setting<Schema extends z.ZodType = z.ZodType> = {
  /** With its default. */
  readonly schema: Schema;
  /** For the form and the documentation. */
  readonly about: string;
  /** Where the settings page shows it; without one it can be changed only in config.json. */
  readonly section?: keyof typeof SECTIONS;
  /** It decides who or what can be reached, so it is changed where the server is started, not over the network. */
  readonly fixed?: true;
  /** A secret: answers show only whether it is set. */
  readonly secret?: true;
  readonly flag?: readonly [usage: `--${string}`, help: string];
  readonly env?: string;
  /** What a flag that may be repeated means, or a variable with commas. Its errors are shown to whoever started us. */
  readonly fromList?: (given: readonly string[]) => unknown;
  /** Keys that are sent to this address. */
  readonly keys?: readonly string[];
};
type Settings = Readonly<Record<string, Setting>>;

type More = Omit<Setting, "schema" | "about">;
type Make = <Of extends z.ZodType>(schema: Of, about: string, more?: More) => Setting<Of>;

export const setting: Make = (schema, about, more) => ({ schema, about, ...more });
export const fixed: Make = (schema, about, more) => ({ schema, about, ...more, fixed: true });

export const integer = (least: number, usual: number) => z.int().min(least).default(usual);

/** The first is the default. */
export const choice = <const All extends readonly [string, ...string[]]>(...all: All) =>
  z.enum(all).default(all[0] as never);

export function inSection<Of extends Settings>(section: keyof typeof SECTIONS, all: Of): Of {
  const shown = Object.entries(all).map(([name, each]) => [name, { ...each, section }]);
  return Object.fromEntries(shown) as Of;
}

export function schemasOf<Of extends Settings>(all: Of) {
  const schemas = Object.entries(all).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(schemas) as { [Name in keyof Of]: Of[Name]["schema"] };
}

const KINDS: Readonly<Record<string, SettingRecord["kind"]>> = {
  boolean: "switch",
  enum: "choice",
  number: "number",
  array: "list",
  object: "table",
  record: "table",
};

/** How a form shows it. */
export function kindOf(schema: z.core.$ZodType): SettingRecord["kind"] {
  const inner = bare(schema);
  const ofObjects = inner instanceof z.ZodArray && bare(inner.element).def.type === "object";
  return ofObjects ? "table" : (KINDS[inner.def.type] ?? "text");
}

export function choicesOf(schema: z.core.$ZodType): string[] | null {
  const inner = bare(schema);
  return inner instanceof z.ZodEnum ? inner.options.map(String) : null;
}

/** Without its default, what may be left out, and how it is changed on the way. */
function bare(schema: z.core.$ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  if (isWrapped) return bare(schema.def.innerType);
  if (!(schema instanceof z.ZodPipe)) return schema as z.ZodType;
  return bare(schema.out instanceof z.ZodTransform ? schema.in : schema.out);
}
