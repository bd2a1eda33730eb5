// The scope of "Always allow": exactly this command, or a wider pattern that says what else it allows.
import { useId } from "react";
import type { RequestState } from "../../kernel/state/run/items.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import styles from "./requests.module.css";
import type { Rule } from "../../kernel/events/catalogue/permissions.ts";
import { describeRule } from "../../kernel/text/describe-rule.ts";

export type AlwaysScopeProps = {
  request: RequestState;
  /** The index of the wider pattern; null: exactly this command. */
  pattern: number | null;
  onChange: (pattern: number | null) => void;
};

export function AlwaysScope({ request, pattern, onChange }: AlwaysScopeProps) {
  const name = useId();
  const { always, wider = [] } = request;
  if (!always || !request.choices.includes("always")) return null;
  if (wider.length === 0) {
    return (
      <p className={styles.where} data-part="always">
        “Always allow” covers, in every session of this profile: <RuleText rule={always} />.
      </p>
    );
  }
  const option = (at: number | null) => ({
    type: "radio",
    name,
    checked: pattern === at,
    onChange: () => onChange(at),
  });
  return (
    <fieldset className={styles.scope} data-part="always">
      <legend>“Always allow” covers, in every session of this profile:</legend>
      <label>
        <input {...option(null)} />
        <span>
          <RuleText rule={always} />
        </span>
      </label>
      {wider.map(({ rule, also }, index) => (
        <label key={JSON.stringify(rule)}>
          <input {...option(index)} />
          <span>
            <RuleText rule={rule} />
            <small>{visibleText(also)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Describes a rule, with its values marked. */
function RuleText({ rule }: { rule: Rule }) {
  return describeRule(rule).map((word, index) =>
    typeof word === "string" ? word : <code key={index}>{visibleText(word.value)}</code>,
  );
}
