// Reads a file from a platform. Only its own servers are asked, without following them elsewhere: what is asked may carry
// a token, and whoever writes a message must not choose whom this machine talks to.
import { PlatformProblem, unreachable } from "./adapter.ts";

type Asked = {
  /** The platform's own, e.g. "https://files.slack.com". */
  readonly origins: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export async function download(
  address: string,
  { origins, headers = {}, signal }: Asked,
): Promise<AsyncIterable<Uint8Array>> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !origins.includes(url.origin)) {
    throw new PlatformProblem("refused", "it is not on the platform's own servers");
  }
  const response = await fetch(url, { headers, signal, redirect: "manual" }).catch((error) => {
    throw unreachable(error);
  });
  if (response.status === 200 && response.body) return whole(response.body);
  await response.body?.cancel();
  const kind = response.status >= 500 ? "unreachable" : "refused";
  throw new PlatformProblem(kind, `the platform answered ${response.status}`);
}

async function* whole(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw unreachable(error);
  }
}

/** Where a platform's API is set to be elsewhere, its files are there, too. */
export function originsOf(apiRoot: string | undefined, usual: readonly string[]): string[] {
  return apiRoot === undefined ? [...usual] : [new URL(apiRoot).origin];
}
