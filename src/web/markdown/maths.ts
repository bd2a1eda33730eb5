// Formulas as MathML, which browsers draw by themselves: no fonts, no styles, no scripts. Fetched with the
// first formula. What this returns still goes through the sanitiser.
import temml from "temml";

const MAX_TEX = 4_000;

/** Null: it cannot be drawn. */
export function drawFormula(tex: string, display: boolean): string | null {
  if (tex.length > MAX_TEX) return null;
  try {
    const mathml = temml.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false, // no links, images, classes, ids or styles
      strict: false,
      maxSize: [4, 60],
      maxExpand: 200,
      wrap: "none",
    });
    // Looks come from our own stylesheet; a policy would report even the attempt.
    return mathml.replaceAll(/ (?:style|class)="[^"]*"/g, "");
  } catch {
    return null;
  }
}
