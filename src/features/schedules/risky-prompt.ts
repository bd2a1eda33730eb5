// A scheduled prompt runs when nobody looks. What reads like an order to forget the rules or to carry secrets away is
// refused when the schedule is made, unless a person says that it is meant so. A list of the obvious, not a proof:
// what a run may do is decided by its permissions.

export const RISKY_PATTERNS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  {
    name: "ignore_instructions",
    pattern:
      /\b(ignore|disregard|forget|override)\b[^.\n]{0,40}\b(previous|prior|above|earlier|all|your|any)\b[^.\n]{0,20}\b(instructions?|rules?|guidelines?|prompts?)\b/i,
  },
  {
    name: "system_prompt",
    pattern: /\b(reveal|print|show|repeat|leak|override)\b[^.\n]{0,30}\bsystem prompt\b/i,
  },
  {
    name: "hide_from_user",
    pattern:
      /\b(do not|don't|never)\b[^.\n]{0,15}\b(tell|inform|show|mention (this|it) to)\b[^.\n]{0,15}\bthe user\b/i,
  },
  {
    name: "no_restrictions",
    pattern:
      /\b(act|behave|respond) as (if|though) you (have|had) no (restrictions|limits|rules)\b/i,
  },
  {
    name: "send_secret",
    pattern:
      /\b(curl|wget|fetch|post|send|upload)\b[^\n]{0,120}(\$\{?\w*(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)\w*|\bapi[ _-]?keys?\b|\bpasswords?\b|\bcredentials?\b)/i,
  },
  {
    name: "read_secret",
    pattern:
      /\b(cat|type|less|head|tail|read|print)\b[^\n]{0,60}(\.env\b|\.netrc\b|\.pgpass\b|\.npmrc\b|\.ssh\/|\bcredentials\b|\bid_rsa\b|\/etc\/shadow)/i,
  },
  { name: "ssh_backdoor", pattern: /authorized_keys/i },
  { name: "sudoers", pattern: /\/etc\/sudoers|\bvisudo\b/i },
  {
    name: "delete_root",
    pattern: /\brm\s+(-[a-z]*\s+)*-[a-z]*[rf][a-z]*\s+(-\S+\s+)*(\/|~)(\s|\*|$)/i,
  },
  {
    name: "invisible_text",
    pattern: /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u,
  },
];

/** Names of what was found; nothing: it may be scheduled. */
export function riskyIn(prompt: string): string[] {
  return RISKY_PATTERNS.filter(({ pattern }) => pattern.test(prompt)).map(({ name }) => name);
}
