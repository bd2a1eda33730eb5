// The only way HTML reaches the page: parsed, sanitised, then passed through the page's one Trusted Types
// policy. Nothing in it may load, run, style or reorder anything.
import DOMPurify from "dompurify";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { harmless } from "../text/harmless.ts";
import { trueTarget } from "./links.ts";

const TAGS =
  "p br hr strong em del code pre blockquote a ul ol li h1 h2 h3 h4 h5 h6 input table thead tbody tr th td #text " +
  // MathML presentation elements only: no maction, semantics, annotation or foreign content.
  "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd mstyle mphantom";
const ATTRIBUTES =
  "href title start align type checked disabled " +
  "display displaystyle scriptlevel mathvariant stretchy symmetric fence form separator lspace rspace accent accentunder largeop movablelimits minsize maxsize linethickness columnspan rowspan width";
const PLAIN = ATTRIBUTES.split(" ").filter((name) => name !== "href");
const LINKS = /^(?:https?:|mailto:)/i;
// Small and never negative, so a formula cannot cover or displace its surroundings.
const SIZE = /^\+?\d{0,2}(?:\.\d+)?(?:em|ex|pt|px|%)?$/;
const SIZES = ["lspace", "rspace", "minsize", "maxsize", "linethickness", "width"];

const purifier = DOMPurify(window);
purifier.addHook("uponSanitizeElement", (node) => {
  if (node.nodeType === Node.TEXT_NODE && node.nodeValue !== null) {
    node.nodeValue = harmless(node.nodeValue);
  }
});
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName === "A") sanitizeLink(node);
  for (const name of SIZES) {
    if (!SIZE.test(node.getAttribute(name) ?? "")) node.removeAttribute(name);
  }
  // The only allowed input is the disabled box of a task list.
  if (node.nodeName === "INPUT" && node.getAttribute("type") !== "checkbox") node.remove();
  if (node.nodeName === "INPUT") {
    node.setAttribute("disabled", "");
    node.setAttribute("aria-label", node.hasAttribute("checked") ? "Done" : "To do");
  }
});

function sanitizeLink(link: Element): void {
  link.setAttribute("rel", "noopener noreferrer nofollow");
  link.setAttribute("target", "_blank");
  const title = link.getAttribute("title");
  if (title !== null) link.setAttribute("title", visibleLine(title));
  const target = trueTarget(link.textContent ?? "", link.getAttribute("href") ?? "");
  if (target !== null) link.append(` (leads to ${visibleLine(target)})`);
}

function sanitize(html: string): string {
  // The purifier returns text without tags unchecked, so wrap it.
  return purifier.sanitize(html.includes("<") ? html : `<p>${html}</p>`, {
    ALLOWED_TAGS: TAGS.split(" "),
    ALLOWED_ATTR: ATTRIBUTES.split(" "),
    ALLOWED_URI_REGEXP: LINKS,
    ADD_URI_SAFE_ATTR: PLAIN, // otherwise they would have to look like links
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

type Policy = { createHTML: (html: string) => string };
type Factory = { createPolicy: (name: string, rules: Policy) => Policy };

const factory = (window as { trustedTypes?: Factory }).trustedTypes;
const policy: Policy = factory?.createPolicy("quarterdeck", { createHTML: sanitize }) ?? {
  createHTML: sanitize,
};

/** A TrustedHTML where the browser has them. */
export function trustedHtml(html: string): string {
  return policy.createHTML(html);
}
