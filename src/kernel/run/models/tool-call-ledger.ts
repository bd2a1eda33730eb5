// Keeps account of every tool-call delta on the wire and compares it with the calls the SDK made of them.
// The SDK guesses when ids, indices or names are missing or repeated: it drops what it finds ambiguous and
// hands orphaned arguments to another call. A guess must become an error here, never an executed call.
import { z } from "zod";
import type { CallLedger } from "./call-ledger.ts";
import { ModelError } from "./model.ts";

const MAX_CALLS = 256;
const MAX_CALL_BYTES = 1024 * 1024;

const Delta = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }),
});
const Choice = z.object({
  delta: z.object({ tool_calls: z.array(Delta).nullish() }).nullish(),
  finish_reason: z.string().nullish(),
});
const Chunk = z.object({ choices: z.tuple([Choice], z.unknown()) });

export function createToolCallLedger(): CallLedger {
  const announced = new Set<string>(); // every (index, id, name) that said "here is a call"
  const named = new Set<string>(); // indices and ids that have a name
  const mentioned = new Set<string>();
  let bytes = 0;
  let argumentChars = 0;
  let finished = false;

  function recordDelta({ index, id, function: { name, arguments: text } }: z.infer<typeof Delta>) {
    const wireId = id?.trim() ? id : undefined;
    const keys = index != null ? [`index ${index}`] : wireId != null ? [`id ${wireId}`] : [];
    for (const key of keys) mentioned.add(key);
    if (name?.trim()) {
      for (const key of keys) named.add(key);
      if (wireId != null) named.add(`id ${wireId}`);
      if (wireId != null) announced.add(JSON.stringify([index ?? null, wireId, name]));
    }
    argumentChars += text?.length ?? 0;
    bytes += Buffer.byteLength(`${id ?? ""}${name ?? ""}${text ?? ""}`);
    if (bytes > MAX_CALL_BYTES) throw malformed("The model's tool calls exceed 1 MiB");
    if (announced.size > MAX_CALLS) throw malformed(`The model made over ${MAX_CALLS} tool calls`);
  }

  return {
    record(rawChunk) {
      const chunk = Chunk.safeParse(rawChunk);
      if (!chunk.success) return; // the SDK's own schema judges it
      const [choice] = chunk.data.choices;
      if (choice.finish_reason != null) finished = true;
      for (const delta of choice.delta?.tool_calls ?? []) recordDelta(delta);
    },
    started: () => undefined, // the raw deltas say more
    settle(calls) {
      const delivered = calls.reduce((sum, { argumentsText }) => sum + argumentsText.length, 0);
      if (calls.length > MAX_CALLS) throw malformed(`The model made over ${MAX_CALLS} tool calls`);
      if (delivered !== argumentChars) {
        throw malformed("The model sent tool arguments that belong to no call");
      }
      if (!mentioned.isSubsetOf(named))
        throw malformed("The model sent a tool call without a name");
      if (announced.size > calls.length) {
        throw malformed("The model sent tool calls that cannot be told apart");
      }
    },
    finishSeen: () => finished,
  };
}

function malformed(message: string): ModelError {
  return new ModelError("malformed_output", message);
}
