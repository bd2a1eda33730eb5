// Splits a patch of git into files, each with its changed lines. Pure. ADR 40 says why no library does it.

export type GitFileDiff = {
  readonly path: string;
  /** Where a renamed or copied file was; null for others. */
  readonly from: string | null;
  readonly what: "added" | "deleted" | "renamed" | "changed";
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
};

const MOVED = [/^(?:rename|copy) from (.*)$/s, /^(?:rename|copy) to (.*)$/s];

export function parsePatch(text: string): GitFileDiff[] {
  // A line of a file never begins with `diff`: there is a sign before it.
  const sections = text.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  return sections.flatMap((section) => fileOf(section) ?? []);
}

function fileOf(section: string): GitFileDiff | undefined {
  const at = section.search(/^@@ /m);
  const head = (at < 0 ? section : section.slice(0, at)).split("\n");
  const text = at < 0 ? "" : section.slice(at);
  const after = (start: string) => head.find((line) => line.startsWith(start))?.slice(start.length);
  const [from, to] = MOVED.map((side) =>
    named(head.flatMap((line) => side.exec(line)?.[1] ?? [])[0]),
  );
  const old = withoutSide(after("--- "));
  const path = to ?? withoutSide(after("+++ ")) ?? old ?? sameName(head[0] ?? "");
  if (path === undefined) return undefined;
  const is = (start: string) => head.some((line) => line.startsWith(start));
  const what =
    from !== undefined
      ? "renamed"
      : is("new file")
        ? "added"
        : is("deleted file")
          ? "deleted"
          : "changed";
  const lines = text.split("\n");
  return {
    path,
    from: from ?? null,
    what,
    text,
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    binary: is("Binary files ") || is("GIT binary patch"),
  };
}

/** `a/name` or `b/name`; undefined for /dev/null. Git puts a tab behind names with a space. */
function withoutSide(line: string | undefined): string | undefined {
  const name = named(line?.replace(/\t$/, ""));
  return name === undefined || name === "/dev/null" ? undefined : name.slice(2);
}

/** Of `diff --git a/x b/x`, where nothing else names the file: both sides are the same. */
function sameName(line: string): string | undefined {
  const both = line.slice("diff --git ".length);
  const quoted = /^("(?:[^"\\]|\\.)*") /.exec(both)?.[1];
  if (quoted !== undefined) return named(quoted)?.slice(2);
  const half = (both.length - 1) / 2;
  return both[half] === " " ? both.slice(2, half) : undefined;
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "\\": 92,
};

/** A name as git quotes it when it has something special in it. */
function named(name: string | undefined): string | undefined {
  if (name === undefined || !name.startsWith('"')) return name;
  const bytes: Buffer[] = [];
  for (const [, plain, octal, letter] of name
    .slice(1, -1)
    .matchAll(/([^\\]+)|\\(?:([0-7]{3})|(.))/gs)) {
    if (plain !== undefined) bytes.push(Buffer.from(plain));
    else if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else bytes.push(Buffer.from([ESCAPES[letter ?? ""] ?? 63]));
  }
  return Buffer.concat(bytes).toString("utf8");
}
