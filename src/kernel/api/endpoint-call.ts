// The types of a call to an endpoint, derived from its contract without loading a schema.
import type { z } from "zod";
import type { Endpoint, Endpoints, RawResponse } from "./endpoint.ts";

export type Of<Api extends Endpoints> = { [Id in keyof Api]: Api[Id] }[keyof Api];
/** The name of an endpoint at a call: `get /api/cron/jobs/{jobId}`. */
export type KeyOf<One extends Endpoint> = One extends Endpoint
  ? `${One["method"]} ${One["path"]}`
  : never;
export type At<Api extends Endpoints, Key> = Extract<
  { [Id in keyof Api]: KeyOf<Api[Id]> extends Key ? Api[Id] : never }[keyof Api],
  Endpoint
>;
/** The endpoints that answer with JSON. */
export type Callable<Api extends Endpoints> = Exclude<
  Of<Api>,
  { readonly response: RawResponse } | { readonly raw: string }
>;

/** Numbers are sent as text, and undefined values are left out. */
type Written<Query> = {
  readonly [Name in keyof Query]:
    | Query[Name]
    | (string extends Query[Name] ? number : never)
    | (undefined extends Query[Name] ? undefined : never);
};
type Params<One> = One extends { readonly params: infer Names }
  ? { readonly params: { readonly [Name in keyof Names]: string } }
  : unknown;
type Query<One> = One extends { readonly query: infer Schema extends z.ZodType }
  ? object extends z.input<Schema>
    ? { readonly query?: Written<z.input<Schema>> }
    : { readonly query: Written<z.input<Schema>> }
  : unknown;
type Body<One> = One extends { readonly body: infer Schema extends z.ZodType }
  ? { readonly body: z.input<Schema> }
  : unknown;
export type Address<One> = Params<One> & Query<One>;
export type CallOf<One> = Address<One> & Body<One>;
