// What people do to messengers: the same from the page, the API and the console.
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { PairingDone, SetGatewayPlatform } from "../records.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { kindOf, PLATFORMS } from "../platforms.ts";
import type { MessengerService } from "./service.ts";
import { defined } from "../../../kernel/events/defined.ts";
import { messengerStore } from "../store/store.ts";

type Deps = { readonly journal: Journal; readonly service: MessengerService };

export async function setPlatform(
  { journal, service }: Deps,
  platform: string,
  asked: SetGatewayPlatform & { readonly by: string },
): Promise<void> {
  const kind = kindOf(platform);
  if (!kind) throw new ApiError("not_found", `There is no platform “${platform.slice(0, 64)}”.`);
  const { secrets = {}, confirm_open, by, mode, ...change } = asked;
  const before = await messengerStore(journal).gatewayPlatform(platform);
  const isWebhook = kind === "webhook";
  if (mode === "open" && before?.mode !== "open" && !isWebhook && confirm_open !== true) {
    const message =
      "In the mode open everybody who finds the bot may use your agent. Say so with confirm_open.";
    throw new ApiError("invalid_request", message, { needs: "confirm_open" });
  }
  await checkSecrets(service, platform, secrets);
  const wanted = mode ?? (before === undefined && isWebhook ? "open" : undefined);
  const names = Object.keys(secrets);
  if (names.length > 0) await service.secrets.set(platform, secrets); // first: the event makes the gateway read them
  const settings = { ...change, ...(wanted !== undefined && { mode: wanted }) };
  await messengerStore(journal).setGatewayPlatform(platform, defined(settings), {
    by,
    secrets: names,
  });
}

async function checkSecrets(
  service: MessengerService,
  platform: string,
  secrets: Readonly<Record<string, string | null>>,
): Promise<void> {
  const kind = kindOf(platform) ?? "webhook";
  const known = PLATFORMS[kind].secrets.map(({ name }) => name);
  for (const [name, value] of Object.entries(secrets)) {
    if (!known.includes(name)) {
      const message = `${platform} has no secret “${name}”; it has ${known.join(", ")}.`;
      throw new ApiError("invalid_request", message);
    }
    const problem = value === null ? undefined : await service.secretProblem(platform, name, value);
    if (problem) throw new ApiError("invalid_request", problem);
  }
}

export async function approve(
  { journal, service }: Deps,
  { platform, code, by }: { platform: string; code: string; by: string },
): Promise<PairingDone> {
  const person = kindOf(platform)
    ? await messengerStore(journal).approvePairing(platform, service.hashOfCode(platform, code), by)
    : undefined;
  if (person === "locked") {
    const message = "Too many wrong codes were entered. Try again in five minutes.";
    throw new ApiError("rate_limited", message);
  }
  if (person) return { done: true, person };
  const message = "No such code waits: it is wrong, used, refused, or older than five minutes.";
  throw new ApiError("not_found", message);
}

export async function decide(
  { journal }: Pick<Deps, "journal">,
  what: "deny" | "revoke",
  { platform, user_id, by }: { platform: string; user_id: string; by: string },
): Promise<PairingDone> {
  const done =
    what === "deny"
      ? await messengerStore(journal).denyPairing(platform, user_id, by)
      : await messengerStore(journal).revokePairing(platform, user_id, by);
  if (done) return { done, person: null };
  const whom = what === "deny" ? "waits" : "is paired";
  throw new ApiError("not_found", `Nobody with this id ${whom} on ${platform.slice(0, 64)}.`);
}
