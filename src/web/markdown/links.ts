// Where a link leads, said beside it whenever its words claim, or could be taken for, another place. Pure.

const PLACE = /(?:^|[\s(<"'@/])((?:[\p{L}\p{N}-]+\.)+[\p{L}][\p{L}\p{N}-]+)/u;

/** What to write after the link, or nothing. The address is one the sanitiser let through. */
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

/** True where the words name a place, and it is not this one. */
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
