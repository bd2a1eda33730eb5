// Typed API calls. Only the types of the contracts reach the page; they check the method and path of a call and type
// its request and response.
import type { Address, At, Callable, CallOf, KeyOf, Of } from "../api/endpoint-call.ts";
import type { Endpoints, ResponseOf } from "../api/endpoint.ts";

export type Calls = {
  get: <Data>(path: string, signal?: AbortSignal) => Promise<Data>;
  post: <Data>(path: string, body: unknown, signal?: AbortSignal) => Promise<Data>;
};

export function callsOf<Api extends Endpoints>({ get, post }: Calls) {
  return <Key extends KeyOf<Callable<Api>>>(
    key: Key,
    asked: CallOf<At<Api, Key>>,
    signal?: AbortSignal,
  ): Promise<ResponseOf<At<Api, Key>>> => {
    const [method, template = ""] = key.split(" ");
    const { body = {}, ...values } = asked as Values & { readonly body?: unknown };
    const path = fill(template, values);
    return method === "get" ? get(path, signal) : post(path, body, signal);
  };
}

/** The address of what is no call: a download, a stream. */
export function pathsOf<Api extends Endpoints>() {
  return <Path extends Of<Api>["path"]>(
    path: Path,
    asked: Address<At<Api, `get ${Path}`>>,
  ): string => fill(path, asked as Values);
}

type Values = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
};

function fill(template: string, { params = {}, query = {} }: Values): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
