// Messengers that are switched on, as `doctor` tells of them.
import type { Journal } from "../../../kernel/journal/journal.ts";
import { isAlive } from "../../../kernel/journal/liveness.ts";
import type { Finding } from "../../../cli/doctor/doctor.ts";
import { START } from "../../../cli/typed.ts";
import { messengerStore } from "../store/store.ts";

export async function messengers(journal: Journal): Promise<Finding[]> {
  const name = "messengers";
  const on = (await messengerStore(journal).gatewayPlatforms()).filter(({ enabled }) => enabled);
  if (on.length === 0) return [{ name, state: "ok", text: "none is switched on" }];
  const records = await journal.registry.processes();
  const runs = records.some((record) => record.kind === "gateway" && isAlive(record) !== false);
  if (!runs) {
    const names = on.map(({ platform }) => platform).join(", ");
    const text = `${names} switched on, but no gateway is running: "${START}" starts one`;
    return [{ name, state: "note", text }];
  }
  const undelivered = await messengerStore(journal).undelivered();
  return on.map(({ platform, state, account, error_message }): Finding => {
    if (state === "failed") {
      return { name, state: "problem", text: `${platform} is not connected: ${error_message}` };
    }
    const lost = undelivered.get(platform) ?? 0;
    const emitted =
      state === "connected" ? `${platform} as ${account}` : `${platform} is connecting`;
    if (lost === 0) return { name, state: "ok", text: emitted };
    const text = `${emitted}; ${lost} not delivered: the log "gateway" says why`;
    return { name, state: "note", text };
  });
}
