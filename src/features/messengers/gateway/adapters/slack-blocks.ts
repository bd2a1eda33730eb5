// How a message of ours looks in Slack: plain text and preformatted blocks, in which nothing is markup.
import type { Block } from "../../labels.ts";
import type { Outgoing } from "../adapter.ts";

export function shape({ nonce, blocks, buttons }: Outgoing) {
  const text = escaped(blocks.map((block) => block.text).join("\n"));
  const actions = buttons.map(({ data, label, style }, index) => ({
    type: "button" as const,
    action_id: `q${index}`,
    value: data,
    text: { type: "plain_text" as const, text: label, emoji: false },
    ...(style === "yes" && { style: "primary" as const }),
    ...(style === "no" && { style: "danger" as const }),
  }));
  return {
    text: text.slice(0, 3_000), // for notifications only: blocks are what is shown
    blocks: [
      ...blocks.map(blockOf),
      ...(actions.length > 0 ? [{ type: "actions" as const, elements: actions }] : []),
    ],
    metadata: { event_type: "quarterdeck_message", event_payload: { nonce } },
    unfurl_links: false,
    unfurl_media: false,
    mrkdwn: false,
  };
}

function blockOf({ kind, text }: Block) {
  if (kind === "text") {
    return {
      type: "section" as const,
      text: { type: "plain_text" as const, text, emoji: false },
    };
  }
  const element = { type: "text" as const, text };
  return {
    type: "rich_text" as const,
    elements: [
      { type: "rich_text_preformatted" as const, elements: [element], border: 0 as const },
    ],
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
