// Native API: what profiles remember.
import type { FastifyPluginAsync } from "fastify";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { memoryApi } from "../api.ts";
import { memoryAccess } from "./access.ts";

export function memoryRoutes(deps: AppDeps): FastifyPluginAsync {
  const memory = memoryAccess(deps);
  const by = "person";
  return mount(memoryApi, {
    getMemory: ({ params, query }) => memory.read({ ...params, by, ...query }),
    addMemory: ({ params, body: { target, text } }) => memory.add({ ...params, by, target }, text),
    replaceMemory: ({ params, body: { target, ...texts } }) =>
      memory.replace({ ...params, by, target }, texts),
    removeMemory: ({ params, body: { target, old } }) =>
      memory.remove({ ...params, by, target }, old),
  });
}
