// Prose keeps direction marks, joiners and soft breaks, and escapes characters that only hide or reorder text:
// overrides, isolates, tags, empty characters.
import { visibleText } from "../../kernel/text/visible-text.ts";

const TRICKS =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u180e\u200b\u2028-\u202e\u2060-\u206f\u3164\uffa0\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function harmless(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(TRICKS, visibleText);
}
