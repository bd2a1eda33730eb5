// Keys that nobody told us, recognised by how they look. For files that leave the machine only: in a journal a wrong
// guess would damage what an agent works with, in a shared file it costs a mark. Each shape is linear to match.

const SHAPES: Readonly<Record<string, string>> = {
  pem: String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)`,
  jwt: String.raw`(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`,
  sk: String.raw`(?<![\w-])[sr]k[-_][\w-]{20,}`, // OpenAI, Anthropic, Stripe and those who copied them
  github: String.raw`(?<![\w-])(?:gh[pousr]_\w{20,}|github_pat_\w{20,})`,
  aws: String.raw`(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  slack: String.raw`(?<![\w-])xox[a-z]-[\w-]{10,}`,
};
const ANY = new RegExp(
  Object.entries(SHAPES)
    .map(([name, shape]) => `(?<${name}>${shape})`)
    .join("|"),
  "g",
);

export function withoutKeys(text: string): string {
  return text.replaceAll(ANY, (...match: unknown[]) => {
    const groups = match.at(-1) as Record<string, string | undefined>;
    const [name] = Object.entries(groups).find(([, found]) => found !== undefined) ?? ["key"];
    return `[redacted:looks-like-${name}]`;
  });
}
