// A server's side of messengers, put together. What talks to platforms is loaded when somebody asks for it.
import type { BesideServer } from "../../../cli/beside-runs.ts";
import type { Config } from "../../../config.ts";
import { hashOfCode } from "../gateway/codes.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { SYSTEM_LOG } from "../../../kernel/events/system-events.ts";
import type { MessengerService } from "../server/service.ts";
import { parseBody } from "../../../kernel/server/json-body.ts";
import { gatewaySecrets } from "./secrets.ts";
import { notifyMessengers } from "../../../cli/lifetime.ts";
import { messengerStore } from "../store/store.ts";

const SHORTEST_SECRET = 32;

export function messengerService(config: Config, journal: Journal): MessengerService {
  const secrets = gatewaySecrets(config, journal);
  return {
    secrets,
    hashOfCode,
    async secretProblem(platform, name, value) {
      if (!platform.startsWith("webhook")) return undefined;
      if (name === "secret") {
        const isShort = value.length < SHORTEST_SECRET;
        return isShort
          ? `A webhook's secret has at least ${SHORTEST_SECRET} characters.`
          : undefined;
      }
      const { targetOf } = await import("../gateway/adapters/webhook.ts");
      try {
        targetOf(value);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    async test(platform) {
      const [{ checkPlatform }, { adapterSettings }] = await Promise.all([
        import("../gateway/check-platform.ts"),
        import("./gateway.ts"),
      ]);
      return checkPlatform(adapterSettings(config), platform, await secrets.of(platform));
    },
    async webhook(posted) {
      const [{ takeWebhook }, { defaultsOf }] = await Promise.all([
        import("../gateway/webhook-inbound.ts"),
        import("./gateway.ts"),
      ]);
      const service = {
        journal,
        store: messengerStore(journal),
        defaults: () => defaultsOf(config),
        secrets: (platform: string) => secrets.of(platform),
        parseBody,
        now: () => Date.now() / 1_000,
      };
      return takeWebhook(service, posted);
    },
  };
}

/** Tells the supervisor as soon as a messenger is switched on; asked for when the house's log moves. */
export const messengersBeside: BesideServer = ({ journal, logError }) => {
  let emitted = false;
  const look = async () => {
    if (emitted) return;
    const platforms = await messengerStore(journal).gatewayPlatforms();
    if (emitted || !platforms.some(({ enabled }) => enabled)) return;
    emitted = true;
    notifyMessengers();
  };
  look().catch(logError);
  const stop = journal.watch((wake) => {
    if (wake !== "all" && wake.logId === SYSTEM_LOG) look().catch(logError);
  });
  return { stop };
};
