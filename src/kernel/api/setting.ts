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

export type Setting = {
  /** With its default. */
  readonly schema: z.ZodType;
  /** Description for the form and the documentation. */
  readonly about: string;
  /** Where the settings page shows it; without one it can be changed only in config.json. */
  readonly section?: keyof typeof SECTIONS;
  /** It decides who or what can be reached, so it is changed only where the server is started, not over the network. */
  readonly fixed?: true;
  /** A secret: answers show only whether it is set. */
  readonly secret?: true;
  readonly flag?: { readonly name: string; readonly value?: string; readonly help: string };
  readonly env?: string;
  /** Parses a repeated flag, or a variable with commas. Its errors are shown to the person who started the program. */
  readonly fromList?: (given: readonly string[]) => unknown;
  /** Keys that are sent to this address. */
  readonly keys?: readonly string[];
};

/** Records with their common fields. */
export function shared<const Common extends Partial<Setting>, const Of extends Settings>(
  common: Common,
  all: Of,
) {
  const each = Object.entries(all).map(([name, setting]) => [name, { ...common, ...setting }]);
  return Object.fromEntries(each) as { readonly [Name in keyof Of]: Common & Of[Name] };
}

type Settings = Readonly<Record<string, Setting>>;
type Schemas<Of extends Settings> = {
  [Name in keyof Of]: Of[Name]["schema"];
};

export function schemasOf<const Of extends Settings>(all: Of) {
  const schemas = Object.entries(all).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(schemas) as Schemas<Of>;
}

const KINDS: Readonly<Record<string, SettingRecord["kind"]>> = {
  boolean: "switch",
  enum: "choice",
  number: "number",
  array: "list",
  object: "table",
  record: "table",
};

/** The input of the form. */
export function kindOf(schema: z.core.$ZodType): SettingRecord["kind"] {
  const inner = bare(schema);
  const ofObjects = inner instanceof z.ZodArray && bare(inner.element).def.type === "object";
  return ofObjects ? "table" : (KINDS[inner.def.type] ?? "text");
}

export function choicesOf(schema: z.core.$ZodType): string[] | null {
  const inner = bare(schema);
  return inner instanceof z.ZodEnum ? inner.options.map(String) : null;
}

/** The inner schema, without default, optional and transforms. */
function bare(schema: z.core.$ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  if (isWrapped) return bare(schema.def.innerType);
  if (!(schema instanceof z.ZodPipe)) return schema as z.ZodType;
  return bare(schema.out instanceof z.ZodTransform ? schema.in : schema.out);
}
