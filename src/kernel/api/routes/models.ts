// The route that tries a model out.
import { post, type ApiRoute } from "../api-route.ts";

export const MODEL_ROUTES: readonly ApiRoute[] = [
  post("/api/models/test", {
    id: "testModel",
    tag: "status",
    summary: "Ask a model one short question, to see whether it answers.",
    answer: { data: "ModelTestView" },
    body: "TestModel",
    errors: ["rate_limited", "unavailable"],
  }),
];
