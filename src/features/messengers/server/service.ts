// What a server needs of messengers beside the journal. Their libraries sit in the gateway's process; here are only the
// secrets that people set, a question to the platform, and the door for signed webhooks.
import type { GatewayTested, WebhookTaken } from "../records.ts";

declare module "../../../kernel/server/app.ts" {
  interface AppDeps {
    /** Messengers; none when left out. */
    gateway?: MessengerService;
  }
}

export type MessengerService = {
  readonly secrets: {
    of(platform: string): Promise<Readonly<Record<string, string>>>;
    fixed(platform: string): readonly string[];
    set(platform: string, changes: Readonly<Record<string, string | null>>): Promise<void>;
  };
  /** Why such a secret cannot be right; undefined when it may be. */
  readonly secretProblem: (
    platform: string,
    name: string,
    value: string,
  ) => Promise<string | undefined>;
  readonly test: (platform: string) => Promise<GatewayTested>;
  readonly hashOfCode: (platform: string, code: string) => string;
  readonly webhook: (signed: {
    readonly name: string;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: Buffer;
  }) => Promise<WebhookTaken>;
};
