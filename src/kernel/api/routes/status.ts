// The endpoints for what is running here and what can be chosen.
import { get } from "../endpoint.ts";
import { ModelsView, ProfilesView, StatusView } from "../records/records.ts";

export const choicesApi = {
  listModels: get("/api/models", {
    tag: "status",
    summary: "Which models can be used now, found servers included.",
    response: ModelsView,
  }),
  listProfiles: get("/api/profiles", {
    tag: "status",
    summary: "The profiles there are.",
    response: ProfilesView,
  }),
};

export const statusApi = {
  getStatus: get("/api/status", {
    tag: "status",
    summary: "What is running here, with which model.",
    response: StatusView,
  }),
};
