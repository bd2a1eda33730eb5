// API call that tests a model.
import type { TestModel } from "../../api/records/records.ts";
import type { modelTestApi } from "../../api/routes/models.ts";
import { callsOf, type Calls } from "../calls.ts";

export function modelCalls(calls: Calls) {
  const call = callsOf<typeof modelTestApi>(calls);
  return {
    /** Really asks the model. Aborting hangs up, and the server stops asking. */
    testModel: (body: TestModel, signal?: AbortSignal) =>
      call("post /api/models/test", { body }, signal),
  };
}
