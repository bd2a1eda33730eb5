// Puts secrets where a profile names them: `${NAME}` in a server's environment or headers. A name
// nobody set is an error before anything starts, never an empty value.
import { McpUnavailable } from "./mcp-errors.ts";

export type Secrets = (name: string) => string | undefined;

export function fillSecrets(
  values: Readonly<Record<string, string>>,
  secrets: Secrets,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => {
        const secret = secrets(name);
        if (secret !== undefined) return secret;
        throw new McpUnavailable(
          `${key} needs the secret ${name}, which is not set. Set it first.`,
        );
      }),
    ]),
  );
}
