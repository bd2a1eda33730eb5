// A messenger in memory: the messages of its channel, and failures that a test selects.
import {
  PlatformProblem,
  type Adapter,
  type Outgoing,
} from "../../../src/features/messengers/gateway/adapter.ts";

type Step = "send" | "edit" | "remove";
type Standing = { readonly id: string; readonly nonce: string; text: string; buttons: number };

export function ledgerMessenger({ length = 300, history = true } = {}) {
  const standing: Standing[] = [];
  const lostAnswers: Step[] = []; // done, and answered with a 5xx
  const failures: Step[] = []; // not done
  let last = 0;
  const content = ({ blocks, buttons }: Outgoing) => ({
    text: blocks.map(({ text }) => text).join("\n"),
    buttons: buttons.length,
  });
  function step(list: Step[], name: Step): void {
    const at = list.indexOf(name);
    if (at < 0) return;
    list.splice(at, 1);
    throw new PlatformProblem("unreachable", `5xx at ${name}`, 1);
  }
  function drop(id: string): void {
    const at = standing.findIndex((message) => message.id === id);
    if (at < 0) throw new PlatformProblem("gone", "not there");
    standing.splice(at, 1);
  }
  const adapter: Adapter = {
    limits: { length, editMs: 0 },
    start: async () => ({ account: "ledger" }),
    async send(_channel, outgoing) {
      step(failures, "send");
      last += 1;
      standing.push({ id: `m${last}`, nonce: outgoing.nonce, ...content(outgoing) });
      step(lostAnswers, "send");
      return `m${last}`;
    },
    async edit(_channel, id, outgoing) {
      step(failures, "edit");
      const message = standing.find((each) => each.id === id);
      if (!message) throw new PlatformProblem("gone", "not there");
      Object.assign(message, content(outgoing));
      step(lostAnswers, "edit");
    },
    async remove(_channel, id) {
      step(failures, "remove");
      drop(id);
      step(lostAnswers, "remove");
    },
    ...(history && {
      find: async (_channel: string, { nonce }: { readonly nonce: string }) =>
        standing.find((message) => message.nonce === nonce)?.id ?? null,
    }),
    async [Symbol.asyncDispose]() {},
  };
  return {
    adapter,
    failures,
    lostAnswers,
    standing,
    texts: () => standing.map(({ text }) => text),
    /** A person deletes the message there. */
    drop,
  };
}
