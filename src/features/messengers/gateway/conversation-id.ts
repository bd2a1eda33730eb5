// Which session a channel of a messenger is: `<platform>:<channel>`.
import { hash } from "node:crypto";
import { segment } from "../../../kernel/dialect/channel-session.ts";

const MAX = 128;

export function sessionOf(platform: string, channelId: string): string {
  const id = `${platform}:${segment(channelId)}`;
  return id.length <= MAX ? id : `${platform}:@@${hash("sha256", channelId, "base64url")}`;
}

/** A message's id as the journal takes it: visible ASCII, at most 255. */
export function messageKey(id: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(id) ? id : `@${hash("sha256", id, "base64url")}`;
}
