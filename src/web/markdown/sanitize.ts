// The only way HTML reaches the page. What a model wrote is parsed, then sanitised, then passed through
// this page's one Trusted Types policy; nothing in it may load, run or style anything.
import DOMPurify from "dompurify";

const TAGS =
  "p br hr strong em del code pre blockquote a ul ol li h1 h2 h3 h4 h5 h6 input table thead tbody tr th td";
const ATTRIBUTES = "href title start align type checked disabled";
const LINKS = /^(?:https?:|mailto:)/i;

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName === "A") {
    node.setAttribute("rel", "noopener noreferrer nofollow");
    node.setAttribute("target", "_blank");
  }
  // The only input is a task list's box, and nobody fills it in.
  if (node.nodeName === "INPUT" && node.getAttribute("type") !== "checkbox") node.remove();
  if (node.nodeName === "INPUT") node.setAttribute("disabled", "");
});

function sanitize(html: string): string {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS.split(" "),
    ALLOWED_ATTR: ATTRIBUTES.split(" "),
    ALLOWED_URI_REGEXP: LINKS,
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

/** A TrustedHTML where the browser has them; React hands it to the sink as it is. */
export function trustedHtml(html: string): string {
  return policy.createHTML(html);
}
