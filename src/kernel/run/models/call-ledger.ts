// What a translator asks about tool calls before it lets any of them through: were all of them delivered, and
// within bounds. OpenAI-compatible servers need more than this: see tool-call-ledger.ts.
import { ModelError } from "./model.ts";

const MAX_CALLS = 256;
const MAX_CALL_BYTES = 1024 * 1024;

export type DeliveredCall = { providerCallId: string; name: string; argumentsText: string };

export type CallLedger = {
  /** Takes one raw chunk, where the SDK passes them on. */
  record(rawChunk: unknown): void;
  /** The SDK announced a call. */
  started(id: string): void;
  /** Throws unless what was announced is what these calls are. */
  settle(calls: readonly DeliveredCall[], cutShort: { cutShort: boolean }): void;
  finishSeen(): boolean;
};

/** For providers whose calls have ids of their own on the wire. */
export function createCallLedger(): CallLedger {
  const announced = new Set<string>();
  return {
    record: () => undefined,
    started: (id) => {
      announced.add(id);
      if (announced.size > MAX_CALLS) throw tooMany();
    },
    settle(calls, { cutShort }) {
      const delivered = new Set(calls.map(({ providerCallId }) => providerCallId));
      const bytes = calls.reduce((sum, { name, argumentsText }) => {
        return sum + Buffer.byteLength(name) + Buffer.byteLength(argumentsText);
      }, 0);
      if (calls.length > MAX_CALLS) throw tooMany();
      if (bytes > MAX_CALL_BYTES) throw malformed("The model's tool calls exceed 1 MiB");
      if (delivered.size !== calls.length) {
        throw malformed("The model sent two tool calls with the same id");
      }
      if (!cutShort && !announced.isSubsetOf(delivered)) {
        throw malformed("The model began a tool call and did not finish it");
      }
    },
    finishSeen: () => true,
  };
}

function tooMany(): ModelError {
  return malformed(`The model made over ${MAX_CALLS} tool calls`);
}

function malformed(message: string): ModelError {
  return new ModelError("malformed_output", message);
}
