// Highlights code as lines of tokens; never as HTML. Grammars are loaded when code is first shown.
export type CodeToken = { readonly text: string; readonly kind: string | null };
export type CodeLine = readonly CodeToken[];

// Larger texts are not highlighted, because a grammar may scan every character many times.
export const MAX_CHARACTERS = 200_000;
const MAX_LINE = 4_000;

/** All lines in order; without colours if the language is unknown or the text too long. */
export async function highlight(text: string, lang: string): Promise<readonly CodeLine[]> {
  if (!knowsLanguage(lang) || isTooMuch(text)) return plainLines(text);
  try {
    const { tokensOf } = await import("./grammars.ts");
    return linesOf(tokensOf(text, lang.toLowerCase()));
  } catch {
    return plainLines(text); // the grammars could not be fetched, or one of them broke
  }
}

export function plainLines(text: string): CodeLine[] {
  return linesOf([{ text, kind: null }]);
}

/** The language of a file by its name, or "". */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (Object.hasOwn(FILES, name)) return FILES[name] ?? "";
  const ending = name.slice(name.lastIndexOf(".") + 1);
  return name.includes(".") && knowsLanguage(ending) ? ending : "";
}

export function knowsLanguage(lang: string): boolean {
  return NAMES.has(lang.toLowerCase());
}

const FILES: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  ".bashrc": "sh",
  ".gitconfig": "ini",
  ".env": "ini",
};

// Names and file extensions of the grammars; a test compares them.
export const NAMES: ReadonlySet<string> = new Set(
  (
    "bash sh zsh shell console shellsession c h cpp c++ cc hpp cxx cs csharp c# css diff patch dockerfile docker go golang " +
    "graphql gql html xml svg xhtml ini toml java javascript js jsx mjs cjs json jsonc json5 kotlin kt kts lua " +
    "makefile mk make markdown md mkd mkdown php python py gyp ipython ruby rb gemspec rust rs scss sql " +
    "swift typescript ts tsx mts cts yaml yml"
  ).split(" "),
);

function isTooMuch(text: string): boolean {
  return text.length > MAX_CHARACTERS || text.split("\n").some((line) => line.length > MAX_LINE);
}

function linesOf(tokens: readonly CodeToken[]): CodeLine[] {
  let line: CodeToken[] = [];
  const lines = [line];
  for (const { text, kind } of tokens) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push((line = []));
      if (part !== "") line.push({ text: part, kind });
    }
  }
  return lines;
}
