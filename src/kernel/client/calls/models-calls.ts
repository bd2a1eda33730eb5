// Trying a model out.
import type { ModelTestView, TestModel } from "../../api/records/records.ts";
import type { Calls } from "../api.ts";

export function modelCalls({ post }: Calls) {
  return {
    /** Really asks the model. Aborting hangs up, and the server stops asking. */
    testModel: (model: TestModel, signal?: AbortSignal) =>
      post<ModelTestView>("/api/models/test", model, signal),
  };
}
