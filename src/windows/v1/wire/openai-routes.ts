// The routes of the OpenAI-compatible part of `/v1`.
import type { DialectRoute } from "../../../kernel/dialect/dialect.ts";

export const V1_OPENAI_ROUTES: readonly DialectRoute[] = [
  { method: "GET", path: "/v1/models", summary: "What can be asked for as `model`" },
  { method: "GET", path: "/v1/models/{model}", summary: "One of them" },
  {
    method: "GET",
    path: "/v1/models/{model}/{rest}",
    summary: "One of them, for clients that do not encode the slash",
  },
  {
    method: "POST",
    path: "/v1/chat/completions",
    summary: "Start a run and get what it says, as a stream or at its end",
  },
  {
    method: "POST",
    path: "/v1/responses",
    summary: "Start a run, or answer what it waits for: at once, as a stream or at its end",
  },
  {
    method: "GET",
    path: "/v1/responses/{response_id}",
    summary: "A run as a response; with `stream=true&starting_after=N` its events after N",
  },
  {
    method: "DELETE",
    path: "/v1/responses/{response_id}",
    summary: "Take the response's conversation out of every list",
  },
  { method: "POST", path: "/v1/responses/{response_id}/cancel", summary: "Stop the run" },
  {
    method: "GET",
    path: "/v1/responses/{response_id}/input_items",
    summary: "What the run was told",
  },
];
