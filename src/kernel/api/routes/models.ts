// The endpoint that tests a model.
import { ModelTestView, TestModel } from "../records/models.ts";
import { post } from "../endpoint.ts";

export const modelTestApi = {
  testModel: post("/api/models/test", {
    tag: "status",
    summary: "Ask a model one short question, to see whether it answers.",
    response: ModelTestView,
    body: TestModel,
    errors: ["rate_limited", "unavailable"],
  }),
};
