// Highlighted code with invisible characters escaped. Plain until the grammars are loaded; nothing moves when
// they are.
import { Fragment, useEffect, useState } from "react";
import { visibleText } from "../../kernel/text/visible-text.ts";
import styles from "./code.module.css";
import { highlight, knowsLanguage, type CodeLine } from "./highlight.ts";

type CodeLinesProps = { text: string; lang: string };
type Coloured = {
  readonly text: string;
  readonly lang: string;
  readonly lines: readonly CodeLine[];
};

export function CodeLines({ text, lang }: CodeLinesProps) {
  const [coloured, setColoured] = useState<Coloured | null>(null);
  useEffect(() => {
    if (!knowsLanguage(lang)) return;
    let gone = false;
    void highlight(text, lang).then((lines) => {
      if (!gone) setColoured({ text, lang, lines });
    });
    return () => {
      gone = true;
    };
  }, [text, lang]);
  if (coloured?.text !== text || coloured.lang !== lang) return visibleText(text);
  return (
    <span className={styles.tokens}>
      {coloured.lines.map((line, at) => (
        // The lines of one text never change places.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={at}>
          {at > 0 && "\n"}
          <Tokens line={line} />
        </Fragment>
      ))}
    </span>
  );
}

/** One line. Its container needs the class `tokens`. */
export function Tokens({ line }: { line: CodeLine }) {
  return line.map(({ text, kind }, at) => (
    // oxlint-disable-next-line react/no-array-index-key
    <span key={at} data-token={kind}>
      {visibleText(text)}
    </span>
  ));
}

export const tokensClass = styles.tokens;
