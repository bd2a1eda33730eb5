// Logs a browser in: a one-time code is exchanged for a cookie that the page cannot read and a proof that it must
// send with every request. Only this response has the proof, so a stolen cookie alone is useless.
import type { FastifyPluginAsync } from "fastify";
import { authApi } from "../../api/routes/auth.ts";
import { ApiError } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { cookieHeader, wrongCode } from "../auth.ts";
import { csrfFor, issueCookie, loginCodeHash, newTicket, TICKET_SECONDS } from "../token.ts";
import { mount } from "../mount.ts";

export function authRoutes({ journal, auth, printNewLink }: AppDeps): FastifyPluginAsync {
  return mount(authApi, {
    login: async ({ body: { code }, request: { ip, headers }, reply }) => {
      const taken = await journal.registry.takeLoginCode(loginCodeHash(code));
      if (taken === "expired") {
        await printNewLink?.();
        throw new ApiError("unauthorized", tooOld(printNewLink !== undefined));
      }
      if (taken === "unknown") throw wrongCode(ip, auth);
      await journal.systemLog.note([
        { type: "login.succeeded", payload: { by: "person", address: ip } },
      ]);
      const cookie = issueCookie(auth.token(), Date.now() / 1000);
      const { origin = "" } = headers;
      const secure =
        auth.secure === true || (origin === auth.publicOrigin && origin.startsWith("https:"));
      reply.header("set-cookie", cookieHeader(cookie, { secure }));
      return { authenticated: true as const, csrf: csrfFor(auth.token(), cookie) };
    },
    // Behind the check, too: for the WebSocket of a page that can send no header with it.
    getTicket: async () => {
      const { ticket, hash } = newTicket(auth.token());
      await journal.registry.addLoginCode(hash, TICKET_SECONDS);
      return { ticket, expires_in: TICKET_SECONDS };
    },
    // Behind the check of app.ts: whoever gets here is logged in, or nobody has to be.
    getAuth: () => ({ authenticated: true as const, required: auth.required }),
  });
}

function tooOld(printed: boolean): string {
  const where = printed ? "A new one was printed where Quarterdeck runs: open that. Or " : "";
  return `This link is older than a minute. ${where}"quarterdeck token --link" prints a new one.`;
}
