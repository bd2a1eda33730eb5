// Talking is not deciding. In the mode `open` everybody may talk; what is allowed and where answers go is decided by
// people the owner let in. Whoever has a webhook's secret was given it by the owner.
import type { GatewayStore } from "../store/messengers.ts";
import { kindOf } from "../platforms.ts";

/** Whether somebody may answer approvals. */
export async function mayDecide(
  store: GatewayStore,
  platform: string,
  userId: string,
): Promise<boolean> {
  if (kindOf(platform) === "webhook") return store.isGatewayUser(platform, userId);
  return (await store.gatewayLetIn(platform)).includes(userId);
}

/** Whether somebody is the only one: then a word of theirs is the owner's. */
export async function isOnlyOne(
  store: GatewayStore,
  platform: string,
  userId: string,
): Promise<boolean> {
  if (kindOf(platform) === "webhook") return store.isGatewayUser(platform, userId);
  const [settings, people] = await Promise.all([
    store.gatewayPlatform(platform),
    store.gatewayLetIn(platform),
  ]);
  return settings?.mode !== "open" && people.length === 1 && people[0] === userId;
}
