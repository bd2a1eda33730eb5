// Refuses diagrams with markup, images, addresses or settings. The frame can reach nothing; this keeps them
// from trying. Pure.

const LINE_BREAK = /<br\s*\/?>/gi;
const STEREOTYPE = /<<[\w -]{1,40}>>/g; // of a class diagram

const REFUSED: readonly RegExp[] = [
  /<[a-z!/?]/i, // markup
  /%%\s*\{/, // settings
  /^\s*---/, // settings, as front matter
  /\burl\s*\(/i,
  /@import/i,
  /\b(?:img|icon|href|src)\s*[:=]/i,
  /^\s*(?:click|links?|callback)\b/im,
  /(?:javascript|data|vbscript)\s*:/i,
  /&#?\w+;/, // what a parser would read as one of the above
  /\$\$/, // formulas bring a library of their own
];

export function canBeDrawn(text: string): boolean {
  const bare = text.replaceAll(LINE_BREAK, " ").replaceAll(STEREOTYPE, " ");
  return !REFUSED.some((pattern) => pattern.test(bare));
}
