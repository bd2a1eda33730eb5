// Logging a browser in: a code that works once is exchanged for a cookie the page cannot read and
// a proof it must send with every change.
import type { FastifyPluginAsync } from "fastify";
import { Login } from "../../protocol/api-records.ts";
import { ApiError, parse } from "../../protocol/errors.ts";
import type { AppDeps } from "../app.ts";
import { checkAttempts, cookieHeader, loginAttempts, sessionCookie } from "../auth.ts";
import { csrfFor, issueCookie, loginCodeHash } from "../token.ts";
import { data } from "./replies.ts";

export function authRoutes({ journal, auth }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.post("/login", async ({ body, ip, headers }, reply) => {
      checkAttempts(ip, auth);
      const { code } = parse(Login, body ?? {});
      if (!(await journal.takeLoginCode(loginCodeHash(code)))) {
        loginAttempts.failed(ip);
        auth.refused?.(ip, "code");
        throw new ApiError("unauthorized", "This link was used already, or is too old.");
      }
      loginAttempts.succeeded(ip);
      await journal.note([{ type: "login.succeeded", payload: { by: "person", address: ip } }]);
      const cookie = issueCookie(auth.token(), Date.now() / 1000);
      const { origin = "" } = headers;
      const secure =
        auth.secure === true || (origin === auth.publicOrigin && origin.startsWith("https:"));
      reply.header("set-cookie", cookieHeader(cookie, { secure }));
      return data({ authenticated: true, csrf: csrfFor(auth.token(), cookie) });
    });

    // Behind the check of app.ts: whoever gets here is logged in, or nobody has to be.
    app.get("/session", async (request) => {
      const cookie = sessionCookie(request);
      return data({
        authenticated: true,
        required: auth.required,
        csrf: cookie === undefined ? "" : csrfFor(auth.token(), cookie),
      });
    });
  };
}
