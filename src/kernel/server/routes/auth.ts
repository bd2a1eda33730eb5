// Logging a browser in: a code that works once is exchanged for a cookie the page cannot read and a proof it must
// send with everything it asks. The proof is in this answer and in no other: whoever has only the cookie has nothing.
import type { FastifyPluginAsync } from "fastify";
import { Login } from "../../api/records/records.ts";
import { ApiError, parse } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { cookieHeader, wrongCode } from "../auth.ts";
import { csrfFor, issueCookie, loginCodeHash, newTicket, TICKET_SECONDS } from "../token.ts";
import { data } from "./replies.ts";

export function authRoutes({ journal, auth, printNewLink }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.post("/login", async ({ body, ip, headers }, reply) => {
      const { code } = parse(Login, body ?? {});
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
      return data({ authenticated: true, csrf: csrfFor(auth.token(), cookie) });
    });

    // Behind the check, too: for the WebSocket of a page that can send no header with it.
    app.post("/ticket", async () => {
      const { ticket, hash } = newTicket(auth.token());
      await journal.registry.addLoginCode(hash, TICKET_SECONDS);
      return data({ ticket, expires_in: TICKET_SECONDS });
    });

    // Behind the check of app.ts: whoever gets here is logged in, or nobody has to be.
    app.get("/session", async () => data({ authenticated: true, required: auth.required }));
  };
}

function tooOld(printed: boolean): string {
  const where = printed ? "A new one was printed where Quarterdeck runs: open that. Or " : "";
  return `This link is older than a minute. ${where}"quarterdeck token --link" prints a new one.`;
}
