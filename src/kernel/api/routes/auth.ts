// The endpoints of logins.
import { get, post } from "../endpoint.ts";
import { AuthView, Login, LoginView, TicketView } from "../records/records.ts";

export const authApi = {
  login: post("/api/auth/login", {
    tag: "auth",
    summary: "Exchange a one-use code for a cookie and its proof, which is told nowhere else.",
    open: true,
    response: LoginView,
    body: Login,
    errors: ["unauthorized"],
  }),
  getTicket: post("/api/auth/ticket", {
    tag: "auth",
    summary:
      "A code for one WebSocket of a page on another origin, offered as `quarterdeck.ticket.<code>` beside `quarterdeck`.",
    response: TicketView,
  }),
  getAuth: get("/api/auth/session", {
    tag: "auth",
    summary: "Whether the caller is logged in.",
    response: AuthView,
  }),
};
