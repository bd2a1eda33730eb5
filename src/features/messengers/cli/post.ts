// How webhooks are posted to: at addresses of the public internet only, unless a person allowed others.
import { PlatformProblem } from "../gateway/adapter.ts";
import type { PostJson } from "../gateway/adapters/webhook.ts";
import {
  AddressRefused,
  createResolver,
  HostNotFound,
} from "../../../kernel/run/web/resolve-host.ts";
import { sendRequest } from "../../../kernel/run/web/send-request.ts";

export function webhookPost(allowPrivateHosts: readonly string[]): PostJson {
  return async ({ url, headers, body, signal }) => {
    const resolve = createResolver({ allowPrivateHosts });
    try {
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const asked = { url, method: "POST", headers: { ...headers, ...length }, body };
      const answer = await sendRequest({ ...asked, resolve, signal });
      answer.destroy();
      return { status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"] };
    } catch (error) {
      if (error instanceof AddressRefused) throw new PlatformProblem("refused", error.message);
      const kind = error instanceof HostNotFound ? error.message : "It cannot be reached.";
      throw new PlatformProblem("unreachable", kind);
    }
  };
}
