// The endpoints of what a profile remembers.
import { z } from "zod";
import { BY_PROFILE, get, post } from "../../kernel/api/endpoint.ts";
import {
  AddMemory,
  ChangedMemory,
  MemoryTarget,
  ProfileMemory,
  RemoveMemory,
  ReplaceMemory,
} from "./records.ts";

const FILE = ["invalid_request", "not_found", "forbidden", "unavailable"] as const;
const changed = {
  params: BY_PROFILE,
  tag: "house",
  response: ChangedMemory,
  errors: [...FILE, "conflict", "too_large"],
} as const;
const MemoryQuery = z.object({
  target: MemoryTarget.default("memory").describe(
    "`memory` (the agent's notes) or `user` (about the person).",
  ),
});

export const memoryApi = {
  getMemory: get("/api/profiles/{profile}/memory", {
    params: BY_PROFILE,
    tag: "house",
    summary: "What a profile remembers, in files of this server's machine.",
    response: ProfileMemory,
    query: MemoryQuery,
    errors: FILE,
  }),
  addMemory: post("/api/profiles/{profile}/memory/add", {
    ...changed,
    summary: "Keep an entry.",
    body: AddMemory,
  }),
  replaceMemory: post("/api/profiles/{profile}/memory/replace", {
    ...changed,
    summary: "Put another entry in the place of one.",
    body: ReplaceMemory,
  }),
  removeMemory: post("/api/profiles/{profile}/memory/remove", {
    ...changed,
    summary: "Forget an entry.",
    body: RemoveMemory,
  }),
};
