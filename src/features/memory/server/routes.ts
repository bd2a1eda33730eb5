// Native API: what profiles remember.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { AddMemory, MemoryTarget, RemoveMemory, ReplaceMemory } from "../records.ts";
import { parse } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { memoryAccess } from "./access.ts";
import { data } from "../../../kernel/server/routes/replies.ts";

const Asked = z.object({ target: MemoryTarget.default("memory") });

export function memoryRoutes(deps: AppDeps): FastifyPluginAsync {
  const memory = memoryAccess(deps);
  const by = "person";
  return async (app) => {
    app.get("/profiles/:profile/memory", async ({ params, query }) =>
      data(await memory.read({ ...place(params), by, ...parse(Asked, query) })),
    );
    app.post("/profiles/:profile/memory/add", async ({ params, body }) => {
      const { target, text } = parse(AddMemory, body);
      return data(await memory.add({ ...place(params), by, target }, text));
    });
    app.post("/profiles/:profile/memory/replace", async ({ params, body }) => {
      const { target, old, text } = parse(ReplaceMemory, body);
      return data(await memory.replace({ ...place(params), by, target }, { old, text }));
    });
    app.post("/profiles/:profile/memory/remove", async ({ params, body }) => {
      const { target, old } = parse(RemoveMemory, body);
      return data(await memory.remove({ ...place(params), by, target }, old));
    });
  };
}

function place(params: unknown): { profile: string } {
  return params as { profile: string }; // its name is checked where profiles are
}
