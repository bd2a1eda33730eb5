// Memory and user profile in the shapes of the console; the files are the same as everywhere.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ProfileMemory } from "../../features/memory/records.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { memoryAccess, type MemoryAsked } from "../../features/memory/server/access.ts";
import { both, ConsoleError, notHere, take } from "./envelopes.ts";

const Target = z.enum(["memory", "user"]);
const Profile = z.string().min(1).max(64).optional();
const Asked = z.looseObject({ target: Target.optional(), profile: Profile });
const entry = z.string().min(1).max(4_000);
const Body = z.looseObject({
  target: Target.optional(),
  profile: Profile,
  action: z.enum(["add", "replace", "remove", "delete"]).optional(),
  content: entry.optional(),
  old_text: entry.optional(),
});
type Action = "add" | "replace" | "remove";
type Page = { readonly path: string; readonly field: "memory" | "user_profile" };

const PAGES: readonly Page[] = [
  { path: "/memory", field: "memory" },
  { path: "/user-profile", field: "user_profile" },
];
const ACTIONS = { POST: "add", PATCH: "replace", DELETE: "remove" } as const;

export function memoryPages(deps: AppDeps): FastifyPluginAsync {
  const memory = memoryAccess(deps);
  const profileFor = (profile: string | undefined) => profile ?? deps.defaults.profile ?? "default";
  return async (app) => {
    if (!deps.homeFiles) app.addHook("onRequest", notHere);
    for (const { path, field } of PAGES) {
      const isUser = field === "user_profile";
      const targetOf = (target: MemoryAsked["target"] | undefined) =>
        isUser ? "user" : (target ?? "memory");
      const emit = (view: ProfileMemory) => both({ [field]: emitted(view) });

      app.get(path, async ({ query }) => {
        const { target, profile } = take(Asked, query);
        const asked = { profile: profileFor(profile), target: targetOf(target), by: "console" };
        return emit(await memory.read(asked));
      });
      app.route({
        method: ["POST", "PATCH", "DELETE"],
        url: path,
        handler: async (request) => {
          const body = take(Body, given(request));
          const action = actionOf(request.method as keyof typeof ACTIONS, body.action);
          const profile = profileFor(body.profile);
          const asked = { profile, target: targetOf(body.target), by: "console" };
          const { changed, memory: view } = await did(memory, action, asked, body);
          return both({ ...emit(view).data, changed, success: true, action });
        },
      });
    }
  };
}

/** A DELETE may say what it means in its address: not every client sends a body with one. */
function given({ body, query }: FastifyRequest): unknown {
  return body ?? query;
}

/** The document's `action` counts for a POST; the real client says it by its method. */
function actionOf(method: keyof typeof ACTIONS, asked: z.infer<typeof Body>["action"]): Action {
  if (method !== "POST" || asked === undefined) return ACTIONS[method];
  return asked === "delete" ? "remove" : asked;
}

async function did(
  memory: ReturnType<typeof memoryAccess>,
  action: Action,
  asked: MemoryAsked,
  { content, old_text }: z.infer<typeof Body>,
) {
  const text = action === "remove" ? "" : (content ?? missing("content"));
  const old = action === "add" ? "" : (old_text ?? missing("old_text"));
  const work = {
    add: () => memory.add(asked, text),
    replace: () => memory.replace(asked, { old, text }),
    remove: () => memory.remove(asked, old),
  };
  try {
    return await work[action]();
  } catch (error) {
    throw inItsWords(error);
  }
}

function missing(field: "content" | "old_text"): never {
  throw new ConsoleError(`invalid_${field}`, `Say ${field}.`);
}

function inItsWords(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, message } = error;
  if (code === "conflict") return new ConsoleError("memory_conflict", message);
  return code === "too_large" ? new ConsoleError("memory_full", message) : error;
}

function emitted({ target, entries, usage, path, last, profile, hash }: ProfileMemory) {
  const { percent, chars, limit } = usage;
  return {
    target,
    profile,
    enabled: true,
    entries,
    entry_count: entries.length,
    usage: {
      text: `${percent}% — ${chars}/${limit} chars`,
      percent,
      current_chars: chars,
      char_limit: limit,
    },
    path,
    hash,
    last_change: last,
  };
}
