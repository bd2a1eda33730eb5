// What a rule would allow from now on, with its own values set off from our words.
import type { Rule } from "../../kernel/events/catalogue/permissions.ts";
import { ruleWords } from "../../kernel/text/rule-words.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";

export function RuleWords({ rule }: { rule: Rule }) {
  return ruleWords(rule).map((word, index) =>
    typeof word === "string" ? word : <code key={index}>{visibleText(word.value)}</code>,
  );
}
