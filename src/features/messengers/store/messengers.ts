// What the journal keeps for messengers.

export type GatewayMode = "pair" | "allowlist" | "open";

export type GatewayPlatform = {
  readonly platform: string;
  readonly enabled: boolean;
  readonly mode: GatewayMode;
  readonly allow: readonly string[]; // user ids
  readonly home_channel: string | null;
  readonly state: "stopped" | "connected" | "failed";
  readonly account: string; // what we are called there
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly revision: number; // grows with every change of settings or secrets
  readonly updated_at: number;
};

export type GatewayPerson = {
  readonly platform: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly channel_id: string;
  readonly state: "pending" | "approved" | "denied" | "revoked";
  readonly expires_at: number | null; // of the code, while it is pending
  readonly updated_at: number;
};
export type Asking = Pick<GatewayPerson, "platform" | "user_id" | "user_name" | "channel_id">;

/** A session that is a conversation of a messenger. Everything up to `told_seq` was told there, to its end. */
export type Conversation = {
  readonly session_id: string;
  readonly platform: string;
  readonly channel_id: string;
  readonly told_seq: number;
  readonly last_message_id: string;
  readonly last_user_id: string; // who spoke last: who may no longer speak is not answered either
};

/** What a button press answers. `choices`: by their place among the buttons. */
export type AskedThere = {
  readonly request_id: string;
  readonly run_id: string;
  readonly kind: "approval" | "clarify";
  readonly plan_hash: string | null;
  readonly choices: readonly string[];
};

/** One message of a messenger. `sending`: it may be there already, or not. */
export type GatewayPost = {
  readonly message_key: number;
  readonly platform: string;
  readonly channel_id: string;
  readonly part: string;
  readonly request: AskedThere | null;
  readonly body: string | null; // of what no session has: notices and deliveries
  readonly platform_message_id: string | null;
  readonly content_hash: string;
  readonly state: "waiting" | "sending" | "sent" | "failed" | "withdrawn";
};

export type NewPost = {
  readonly platform: string;
  readonly channel_id: string;
  readonly part: string;
  readonly run_id: string | null;
  readonly request: AskedThere | null;
};
/** Ids of messages around one whose id is not known. `before`: they were there when it was sent. */
export type MessagesAround = {
  readonly before: readonly string[];
  readonly others: readonly string[];
};
/** `fresh`: nobody began to send it before. */
export type OpenedPost = { readonly post: GatewayPost; readonly fresh: boolean };

export type PlatformChange = {
  readonly enabled?: boolean;
  readonly mode?: GatewayMode;
  readonly allow?: readonly string[];
  readonly home_channel?: string | null;
};

export interface GatewayStore {
  gatewayPlatforms(): Promise<readonly GatewayPlatform[]>;
  gatewayPlatform(platform: string): Promise<GatewayPlatform | undefined>;
  /** `secrets`: names of those that were changed elsewhere. False when everything was so already. */
  setGatewayPlatform(
    platform: string,
    change: PlatformChange,
    about: { readonly by: string; readonly secrets: readonly string[] },
  ): Promise<boolean>;
  /** How the connection is; an event only when it was not so before. */
  noteGateway(
    platform: string,
    now:
      | { readonly state: "connected"; readonly account: string }
      | { readonly state: "failed"; readonly code: string; readonly message: string }
      | { readonly state: "stopped" },
  ): Promise<boolean>;
  /** By the database's clock. True while it is ours; `lost`: holders that are known to be dead. */
  takeGatewayLease(lease: {
    platform: string;
    holder: string;
    seconds: number;
    lost: readonly string[];
  }): Promise<boolean>;
  dropGatewayLease(platform: string, holder: string): Promise<void>;
  gatewayLeases(): Promise<ReadonlyMap<string, string>>;

  gatewayPeople(): Promise<readonly GatewayPerson[]>;
  /** Whether somebody may talk to us there now. */
  isGatewayUser(platform: string, userId: string): Promise<boolean>;
  /** Who was let in by the owner, by the list or by a code: in the mode `open` others may talk too. */
  gatewayLetIn(platform: string): Promise<readonly string[]>;
  /** Keeps a code's hash for somebody unknown. `waiting`: they have one; `limited`: too many asked. */
  askPairing(
    asking: Asking,
    hash: string,
    options?: { readonly seconds?: number }, // five minutes when left out
  ): Promise<"asked" | "waiting" | "limited">;
  /** The code reached whom it is for. */
  pairingSent(platform: string, userId: string): Promise<void>;
  /** People who got no code within the hour because the platform's limit was reached. */
  gatewayTurnedAway(): Promise<ReadonlyMap<string, number>>;
  /** Undefined: no such code waits. `locked`: too many wrong ones were typed by whoever types. */
  approvePairing(
    platform: string,
    hash: string,
    by: string,
  ): Promise<GatewayPerson | "locked" | undefined>;
  denyPairing(platform: string, userId: string, by: string): Promise<boolean>;
  revokePairing(platform: string, userId: string, by: string): Promise<boolean>;

  /** `last_message_id` only of a new one: what was heard before its first message. */
  openConversation(
    conversation: Omit<Conversation, "told_seq" | "last_message_id"> & {
      readonly last_message_id?: string;
    },
  ): Promise<void>;
  /** After it was taken: what came later is asked for when we come back. Never goes back: a longer id is a later one. */
  heardUpTo(sessionId: string, messageId: string): Promise<void>;
  conversation(sessionId: string): Promise<Conversation | undefined>;
  /** Those with a message within `days` (seven) of the platform's last one, newest first. */
  conversations(
    platform: string,
    options?: { readonly days?: number },
  ): Promise<readonly Conversation[]>;
  /** Those in which something happened since. */
  conversationsBehind(platform: string): Promise<readonly Conversation[]>;
  deliveredUpTo(sessionId: string, seq: number): Promise<void>;

  /** Undefined when `holder` does not hold the platform any more. */
  openPost(post: NewPost, holder: string): Promise<OpenedPost | undefined>;
  keepPost(
    key: number,
    kept: {
      readonly state: "sent" | "failed" | "sending";
      readonly platform_message_id?: string | null;
      readonly content_hash?: string;
      readonly problem?: string;
    },
  ): Promise<void>;
  /** Its message is there no more, and its part is free for another. */
  retirePost(key: number): Promise<void>;
  gatewayPost(key: number): Promise<GatewayPost | undefined>;
  /** Which messages of its channel are known: for a platform that cannot be asked by a name of ours. */
  messagesAround(key: number): Promise<MessagesAround>;
  gatewayPostOf(
    platform: string,
    channelId: string,
    part: string,
  ): Promise<GatewayPost | undefined>;
  /** To the platform's home channel unless a channel is given, once per `id`. False: it has none. */
  deliver(delivery: {
    readonly platform: string;
    readonly id: string;
    readonly text: string;
    readonly channel_id?: string;
  }): Promise<boolean>;
  /** Deliveries nobody has sent yet, oldest first. */
  waitingPosts(platform: string): Promise<readonly GatewayPost[]>;
  undelivered(): Promise<ReadonlyMap<string, number>>;
}
