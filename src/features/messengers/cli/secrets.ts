// Where tokens of messengers come from: the environment first, then what a person set here: in a file of the home, or
// in the database that all machines share.
import type { Config } from "../../../config.ts";
import {
  changedSecrets,
  parseSecrets,
  readGatewaySecrets,
  writeGatewaySecrets,
  type AllSecrets,
  type PlatformSecrets,
} from "../home/secrets.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { kindOf, PLATFORMS } from "../platforms.ts";

export type SecretChanges = Readonly<Record<string, string | null>>;
export type GatewaySecrets = {
  of(platform: string): Promise<PlatformSecrets>;
  /** Names that the environment has: what is set here has no effect on them. */
  fixed(platform: string): readonly string[];
  set(platform: string, changes: SecretChanges): Promise<void>;
};

const SHARED = "gateway-secrets";

export function gatewaySecrets(
  { home, secret }: Pick<Config, "home" | "secret">,
  journal: Journal,
): GatewaySecrets {
  const isShared = journal.storage().backend === "postgres";
  const read = async (): Promise<AllSecrets> =>
    isShared ? parseSecrets(await journal.registry.shared(SHARED)) : readGatewaySecrets(home);
  const given = (platform: string) => {
    const kind = kindOf(platform);
    const known = kind ? PLATFORMS[kind].secrets : [];
    return known.flatMap(({ name, env }): [string, string][] => {
      const value = env === null ? undefined : secret(env);
      return value ? [[name, value]] : [];
    });
  };
  return {
    of: async (platform) => ({
      ...(await read())[platform],
      ...Object.fromEntries(given(platform)),
    }),
    fixed: (platform) => given(platform).map(([name]) => name),
    async set(platform, changes) {
      if (!isShared) return writeGatewaySecrets(home, platform, changes);
      const next = changedSecrets(await read(), platform, changes);
      await journal.registry.keepShared(SHARED, JSON.stringify(next), { replace: true });
    },
  };
}
