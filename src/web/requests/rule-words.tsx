// Exactly what a rule would allow from now on, in words with its own values in them.
import type { ReactNode } from "react";
import type { Rule } from "../../protocol/catalogue/permissions.ts";
import { visibleText } from "../../protocol/visible-text.ts";
import { quoted } from "./plan-text.ts";

export function RuleWords({ rule }: { rule: Rule }) {
  return (
    <>
      {subject(rule)}
      {rule.network === true && ", with the network"}
      {rule.schema !== undefined && ", as long as it is described as it is now"}
    </>
  );
}

function subject({ tool, argv, path, host }: Rule): ReactNode {
  if (argv) {
    return (
      <>
        <Exact text={argv.map(quoted).join(" ")} /> with anything after it
      </>
    );
  }
  const name = tool === "*" ? "every tool" : <Exact text={tool} />;
  if (path !== undefined) {
    return (
      <>
        {name} on <Exact text={path} />
      </>
    );
  }
  if (host !== undefined) {
    return (
      <>
        {name} to <Exact text={host} />
      </>
    );
  }
  return <>{name}, whatever it is given</>;
}

function Exact({ text }: { text: string }) {
  return <code>{visibleText(text)}</code>;
}
