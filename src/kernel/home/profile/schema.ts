// What may stand in a profile's profile.json. Everything may be left out; what is not known is
// refused, because a misspelt rule that is silently ignored is a rule that does not hold.
import { z } from "zod";
import { Rule, serverOfPattern } from "../../events/catalogue/permissions.ts";
import { schemasOf, setting } from "../../api/setting.ts";
import { own } from "../../events/own.ts";
import { programOf, type McpServer, type Profile } from "../profile.ts";

const Text = z.string().max(8_192);

/** Until a server has started and listed its tools: `npx` and `uvx` download it the first time. */
const startupTimeout = (seconds: number) => z.number().positive().max(600).default(seconds);

const McpServerSettings = z.discriminatedUnion("transport", [
  z.strictObject({
    transport: z.literal("stdio"),
    command: z.string().min(1).max(4_096),
    args: z.array(Text).max(128).default([]),
    env: z.record(z.string().min(1).max(256), Text).default({}),
    network: z.boolean().default(false),
    startup_timeout_s: startupTimeout(60),
  }),
  z.strictObject({
    transport: z.literal("http"),
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string().min(1).max(256), Text).default({}),
    startup_timeout_s: startupTimeout(10),
  }),
]);

const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

const BudgetSettings = z.strictObject({
  tokens: orNull(z.int().positive()),
  cost_usd: orNull(z.number().positive()),
  wall_s: orNull(z.number().positive()),
  tool_calls: orNull(z.int().positive()),
});

const ToolName = z.string().regex(/^[\w.:*-]{1,200}$/, "the name of a tool");
const ServerName = z.string().regex(/^[A-Za-z0-9][\w-]{0,63}$/, "letters, digits, '_' and '-'");

/** One record per setting; the form of the settings page follows from it, too. */
export const PROFILE_SETTINGS = {
  model: setting(orNull(z.string().min(1).max(256)), "provider/model; none: the server's."),
  tools: setting(orNull(z.array(ToolName).max(500)), "Only these; none: all."),
  permissions: setting(
    z.array(Rule).max(1_000).default([]),
    "Rules: allow, ask or deny, by tool and argument.",
  ),
  budget: setting(orNull(BudgetSettings), "tokens, cost_usd, wall_s, tool_calls: at each it asks."),
  approval_expires_s: setting(
    orNull(z.number().positive()),
    "After so long a request is denied; none: never.",
  ),
  mcp: setting(
    z.record(ServerName, McpServerSettings).default({}),
    "Servers of foreign tools. Secrets as ${NAME} of the environment.",
  ),
};

export const ProfileSettings = z.strictObject(schemasOf(PROFILE_SETTINGS));
type ProfileSettings = z.infer<typeof ProfileSettings>;

export type ProfileFields = Omit<Profile, "name" | "directory" | "prompt">;

export function fieldsOf({ approval_expires_s, mcp, ...settings }: ProfileSettings): ProfileFields {
  const servers: Record<string, McpServer> = mcp;
  const permissions = settings.permissions.map((rule) => pinned(rule, servers));
  return { ...settings, permissions, approvalExpiresS: approval_expires_s, mcp: servers };
}

/** A rule that trusts a server means the one beside it in the same file, unless it says which. */
function pinned(rule: Rule, servers: Readonly<Record<string, McpServer>>): Rule {
  if (rule.trust === undefined || rule.server !== undefined) return rule;
  const server = own(servers, serverOfPattern(rule.tool) ?? "");
  return server ? { ...rule, server: programOf(server) } : rule;
}

/** One line that names the field. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join(".");
  return `${where ? `“${where}”: ` : ""}${issue?.message ?? "not valid"}`;
}
