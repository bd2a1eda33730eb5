// The one error a caller of the API sees. The code decides, never the message: messages change freely.

export class ApiFailure extends Error {
  readonly code: string;
  readonly status: number; // 0: no answer came, so nobody knows whether the request arrived
  readonly details: unknown;

  constructor(failure: { code: string; message: string; status: number; details?: unknown }) {
    super(failure.message);
    this.name = "ApiFailure";
    this.code = failure.code;
    this.status = failure.status;
    this.details = failure.details;
  }

  /** True when the same request may succeed later without anyone changing it. */
  get retryable(): boolean {
    const { status, code } = this;
    return (
      status === 0 || status === 408 || status === 429 || status >= 500 || code === "no_runner"
    );
  }
}

/** Unknown errors become "unreachable": fetch says no more than that it did not work. */
export function toApiFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure({
    code: "unreachable",
    message: "The server does not answer.",
    status: 0,
    details: error instanceof Error ? error.message : undefined,
  });
}

type Envelope = { ok?: unknown; data?: unknown; error?: { code?: unknown; message?: unknown } };

/** Reads `{ok:true,data}`; throws what `{ok:false,error}` says, or that the answer made no sense. */
export async function readEnvelope(response: Response): Promise<unknown> {
  const body = (await response.json().catch(() => undefined)) as Envelope | null | undefined;
  if (response.ok && body?.ok === true) return body.data;
  throw failureOf(response, body);
}

/** For answers that are not JSON when they succeed, such as event streams. */
export async function refuseUnlessOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw failureOf(response, (await response.json().catch(() => undefined)) as Envelope | undefined);
}

function failureOf({ status }: Response, body: Envelope | null | undefined): ApiFailure {
  const error = body?.error as { code?: unknown; message?: unknown; details?: unknown } | undefined;
  return new ApiFailure({
    code: typeof error?.code === "string" ? error.code : "bad_response",
    message: typeof error?.message === "string" ? error.message : `The server answered ${status}.`,
    status,
    details: error?.details,
  });
}
