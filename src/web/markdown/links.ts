// Shows the real target of a link if its text looks like another address. Pure.

const PLACE = /(?:^|[\s(<"'@/])((?:[\p{L}\p{N}-]+\.)+[\p{L}][\p{L}\p{N}-]+)/u;

/** The text to add after the link, or "". The address has passed the sanitiser. */
export function trueTarget(words: string, href: string): string | null {
  if (!URL.canParse(href)) return null;
  const { protocol, hostname, username, pathname } = new URL(href);
  if (protocol === "mailto:") {
    const address = decoded(pathname);
    return claims(words, address.slice(address.lastIndexOf("@") + 1)) ? address : null;
  }
  const disguised = hostname.split(".").some((part) => part.startsWith("xn--")) || username !== "";
  return disguised || claims(words, hostname) ? hostname : null;
}

/** True if the text names another host. */
function claims(words: string, host: string): boolean {
  const named = PLACE.exec(words)?.[1]?.toLowerCase();
  if (
    named === undefined ||
    /\.(?:md|ts|tsx|js|json|py|rs|go|txt|html|css|sh|ya?ml)$/.test(named)
  ) {
    return false; // a file's name reads like a place and is none
  }
  const bare = (name: string) => name.toLowerCase().replace(/^www\./, "");
  return bare(named) !== bare(host);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
