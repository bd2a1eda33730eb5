// Cuts markdown into blocks that are drawn one by one: while text streams in, only the last block
// changes, and everything above it stays untouched on the screen.
import { Marked, type Token } from "marked";

export type Block =
  | { readonly kind: "code"; readonly text: string; readonly lang: string }
  | { readonly kind: "html"; readonly html: string };

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    // Raw HTML is shown as what it is: text.
    html: ({ text }) => escapeHtml(text),
    // Nothing is fetched because a model named it; the address stays readable and a click away.
    image: ({ href, text }) =>
      `<a href="${escapeHtml(href)}">[image: ${escapeHtml(text || "no description")}]</a>`,
  },
});

export function blocksOf(markdown: string): Block[] {
  const tokens = marked.lexer(markdown);
  return tokens.filter(isShown).map(toBlock);
}

function isShown({ type }: Token): boolean {
  return type !== "space" && type !== "def";
}

function toBlock(token: Token): Block {
  if (token.type === "code") {
    return { kind: "code", text: token.text as string, lang: (token["lang"] as string) ?? "" };
  }
  return { kind: "html", html: marked.parser([token]) };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
