// `gateway`: messengers, in a process of their own: their libraries sit in no process that serves or runs. Killing it
// at any moment is safe. With a word it does what the page does: list, approve, deny, revoke.
import { randomUUID } from "node:crypto";
import { type Config, type Parsed, UsageError } from "../../../config.ts";
import { hashOfCode } from "../gateway/codes.ts";
import { createAdapter, type AdapterSettings } from "../gateway/create-adapter.ts";
import { runGateway } from "../gateway/gateway.ts";
import { openLog, type Log } from "../../../kernel/home/log.ts";
import { openProfiles } from "../../../kernel/home/profiles.ts";
import type { Defaults, Journal } from "../../../kernel/journal/journal.ts";
import { thisProcess } from "../../../kernel/journal/liveness.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { storeUpload } from "../../../kernel/server/workspace/store-upload.ts";
import { gatewaySecrets } from "./secrets.ts";
import { lifetime, announceReady } from "../../../cli/lifetime.ts";
import { openJournal } from "../../../cli/open-journal.ts";
import type { GatewayStore } from "../store/messengers.ts";
import { messengerStore } from "../store/store.ts";
import { PlatformProblem } from "../gateway/adapter.ts";
import type { PostJson } from "../gateway/adapters/webhook.ts";
import {
  AddressRefused,
  createResolver,
  HostNotFound,
} from "../../../kernel/run/web/resolve-host.ts";
import { sendRequest } from "../../../kernel/run/web/send-request.ts";

export const flags = {};
const BY = "shell";

export async function command({ config, positionals }: Parsed): Promise<number> {
  const [word, platform = "", value = ""] = positionals;
  if (word === undefined) return hold(config);
  await using journal = await openJournal(config);
  if (word === "list") return await list(journal);
  if (platform === "" || value === "") throw new UsageError(USAGE);
  if (word === "approve") {
    const person = await messengerStore(journal).approvePairing(
      platform,
      hashOfCode(platform, value),
      BY,
    );
    if (person === "locked")
      throw new UsageError("Too many wrong codes were entered. Try again in five minutes.", 1);
    if (!person)
      throw new UsageError("No such code waits: it is wrong, used, or older than five minutes.", 1);
    console.log(
      `${visibleLine(person.user_name)} (${person.user_id}) may talk to you on ${platform}.`,
    );
    return 0;
  }
  if (word !== "deny" && word !== "revoke") throw new UsageError(USAGE);
  const done =
    word === "deny"
      ? await messengerStore(journal).denyPairing(platform, value, BY)
      : await messengerStore(journal).revokePairing(platform, value, BY);
  if (!done) throw new UsageError(`There is no ${value} on ${platform} to ${word}.`, 1);
  console.log(word === "deny" ? "Denied." : "Revoked.");
  return 0;
}
const USAGE =
  "gateway | gateway list | gateway approve PLATFORM CODE | gateway deny|revoke PLATFORM USER";

async function hold(config: Config): Promise<number> {
  const signal = lifetime();
  await using journal = await openJournal(config, { patient: "always", signal });
  const log = openLog({ home: config.home, kind: "gateway", redact: journal.redactor?.text });
  const holder = `gateway_${randomUUID().slice(0, 8)}`;
  await journal.registry.register(thisProcess("gateway", holder));
  announceReady("gateway");
  const secrets = gatewaySecrets(config, journal);
  const adapters = adapterSettings(config);
  const logError = (message: string, error: unknown) => {
    console.error(`gateway: ${message}`, error);
    log.write("error", message, { error });
  };
  // A library that throws on a packet would end every messenger. Nothing is lost by going on: what counts is in the
  // journal, and what was not taken comes again.
  process.on("uncaughtException", (error) => logError("a messenger's library failed", error));
  await runGateway(
    {
      journal,
      store: noticed(messengerStore(journal), log),
      holder,
      defaults: () => defaultsOf(config),
      secrets: (platform) => secrets.of(platform),
      createAdapter: (platform, known) => createAdapter(adapters, platform, known),
      keepFile: (chunks) => storeUpload(journal.blobs, chunks),
      leaseSeconds: config.gateway_lease_ms / 1_000,
      logError,
    },
    signal,
  );
  await journal.registry
    .unregister(holder)
    .catch((error: unknown) => logError("unregister", error));
  return 0;
}

/** How a connection is becomes a line, when it was not so before; and why something was not delivered. */
function noticed(store: GatewayStore, log: Log): GatewayStore {
  return {
    ...store,
    async noteGateway(platform, now) {
      const isNew = await store.noteGateway(platform, now);
      const level = now.state === "failed" ? "warn" : "info";
      if (isNew) log.write(level, now.state, { fields: { platform, ...now } });
      return isNew;
    },
    async keepPost(key, kept) {
      await store.keepPost(key, kept);
      if (kept.state !== "failed") return;
      const post = await store.gatewayPost(key);
      const about = { platform: post?.platform ?? null, channel: post?.channel_id ?? null };
      log.write("warn", "undelivered", {
        fields: { ...about, message: kept.problem ?? "no reason was given" },
      });
    },
  };
}

export function adapterSettings(config: Config): AdapterSettings {
  return {
    urls: config.gateway_urls as AdapterSettings["urls"],
    editMs: config.gateway_edit_ms,
    post: webhookPost(config.allow_private_hosts),
    now: () => Date.now() / 1_000,
  };
}

/** As for every other session nobody said more about. */
export async function defaultsOf({ home, model, workspace, profile }: Config): Promise<Defaults> {
  const preferred = (
    await openProfiles(home)
      .get(profile)
      .catch(() => null)
  )?.model;
  return { model: preferred ?? model, workspace, profile };
}

async function list(journal: Journal): Promise<number> {
  const platforms = await messengerStore(journal).gatewayPlatforms();
  if (platforms.length === 0) console.log("No messenger is set up.");
  for (const { platform, enabled, state, error_message } of platforms) {
    const how = enabled ? state : "off";
    console.log(`${platform}  ${how}${error_message === null ? "" : `  ${error_message}`}`);
  }
  for (const { platform, user_id, user_name, state } of await messengerStore(
    journal,
  ).gatewayPeople()) {
    console.log(`${platform}  ${user_id}  ${state}  ${visibleLine(user_name)}`);
  }
  return 0;
}

// How webhooks are posted to: at addresses of the public internet only, unless a person allowed others.
function webhookPost(allowPrivateHosts: readonly string[]): PostJson {
  return async ({ url, headers, body, signal }) => {
    const resolve = createResolver({ allowPrivateHosts });
    try {
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const asked = { url, method: "POST", headers: { ...headers, ...length }, body };
      const answer = await sendRequest({ ...asked, resolve, signal });
      answer.destroy();
      return { status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"] };
    } catch (error) {
      if (error instanceof AddressRefused) throw new PlatformProblem("refused", error.message);
      const kind = error instanceof HostNotFound ? error.message : "It cannot be reached.";
      throw new PlatformProblem("unreachable", kind);
    }
  };
}
