// The forms that a secret can take in a text, as one graph whose paths from node 0 to an accepting node are those forms:
// plain, JSON-escaped, URL-encoded (each character separately), hex and base64.
// A form that is missing here lets a secret through.

export type Secret = { readonly name: string; readonly value: string };

export type Node = {
  readonly edges: number[]; // a code unit and the node it leads to, in turn
  accepts: number | undefined; // which secret
};

export type Forms = {
  readonly nodes: readonly Node[];
  readonly longest: number; // no form has more code units
};

/** Text is matched by UTF-16 unit, command output by byte; these differ outside ASCII. */
export type Units = "utf16" | "bytes";

type Step = string; // any one of these characters
type Form = readonly Step[];

const UNITS: Record<Units, (text: string) => string[]> = {
  utf16: (text) => text.split(""),
  bytes: (text) => Buffer.from(text).toString("latin1").split(""),
};
/** `base64` and `xxd -p` break lines; what they print may have been put into JSON since. */
const LINE_BREAKS: readonly Form[] = [["\n"], ["\r", "\n"], ["\\", "n"]];
const JSON_ESCAPES: Record<string, string> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
};

export function formsOf(values: readonly string[], units: Units): Forms {
  const nodes: Node[] = [];
  let longest = 0;
  const node = () => nodes.push({ edges: [], accepts: undefined }) - 1;

  const join = (from: number, form: Form, to: number) => {
    form.forEach((step, index) => {
      const next = index === form.length - 1 ? to : node();
      for (const unit of new Set(step.split(""))) {
        (nodes[from] as Node).edges.push(unit.charCodeAt(0), next);
      }
      from = next;
    });
  };
  /** Concatenates positions, each in any of its forms; the last node accepts. */
  const sequence = (secret: number, positions: readonly (readonly Form[])[], breaks: Breaks) => {
    let here = 0;
    let rest = 0;
    positions.forEach((forms, index) => {
      const next = node();
      for (const form of forms) join(here, form, next);
      // The rest of a form that was broken earlier: its first letters ended a line that was already shown.
      if (breaks === "breaks" && index >= UNBROKEN && index < 2 * UNBROKEN) {
        const after = index === 2 * UNBROKEN - 1 ? next : node();
        for (const form of forms) join(rest, form, after);
        rest = after;
      }
      if (breaks === "breaks" && index >= UNBROKEN) {
        const broken = node();
        for (const form of LINE_BREAKS) join(here, form, broken);
        for (const form of forms) join(broken, form, next);
      }
      here = next;
    });
    (nodes[here] as Node).accepts = secret;
    const length = positions.map((forms) => Math.max(...forms.map((form) => form.length)) + 2);
    longest = Math.max(
      longest,
      length.reduce((sum, each) => sum + each, 8),
    );
    return here;
  };

  node(); // where every form begins
  values.forEach((value, secret) => {
    sequence(secret, writtenForms(value, units), "none");
    sequence(secret, hexForms(value), "breaks");
    for (const shift of [0, 1, 2]) {
      const { inner, last } = base64Forms(value, shift);
      let end = sequence(secret, inner, "breaks");
      for (const forms of last) {
        const next = node();
        for (const form of forms) join(end, form, next);
        (nodes[next] as Node).accepts = secret;
        end = next;
      }
    }
  });
  return { nodes, longest };
}

type Breaks = "breaks" | "none";

/**
 * How many characters must come before the first line break. With fewer, every line that ends with the first letter of
 * some form would have to wait for the next line, which may never come.
 */
const UNBROKEN = 4;

const WIDTH = 60; // of a line of `xxd -p`; `openssl` and `base64` break later

/** The most lines that a form can span, wherever it begins. Hex is the longest form that is broken into lines. */
export function longestLines(values: readonly string[]): number {
  const breaks = values.map((value) => {
    const hex = 2 * Buffer.byteLength(value);
    const broken = hex > WIDTH ? Math.ceil((hex - 1) / WIDTH) : 0;
    return Math.max(broken, value.split("\n").length - 1);
  });
  return Math.max(0, ...breaks) + 1;
}

function writtenForms(value: string, units: Units): Form[][] {
  return Array.from(value, (char) => {
    const forms: Form[] = [
      UNITS[units](char),
      [...Buffer.from(char)].flatMap((byte) => ["%", ...hexDigits(byte, 2)]),
      char.split("").flatMap((unit) => ["\\", "u", ...hexDigits(unit.charCodeAt(0), 4)]),
    ];
    const escape = JSON_ESCAPES[char];
    if (escape !== undefined) forms.push(["\\", escape]);
    if (char === " ") forms.push(["+"]);
    return forms;
  });
}

function hexForms(value: string): Form[][] {
  return [...Buffer.from(value)].flatMap((byte) => hexDigits(byte, 2).map((digit) => [[digit]]));
}

function hexDigits(value: number, count: number): Step[] {
  const digits = value.toString(16).padStart(count, "0").split("");
  return digits.map((digit) => digit + digit.toUpperCase());
}

/**
 * Base64 of a longer text in which the value begins `shift` bytes into a group of three: the
 * characters that depend only on the value, then the one that it shares with what follows, and padding.
 */
function base64Forms(value: string, shift: number): { inner: Form[][]; last: Form[][] } {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)]);
  const from = Math.ceil((shift * 8) / 6);
  const to = Math.floor((bytes.length * 8) / 6);
  const inner = bytes.toString("base64").slice(from, to).split("").map(base64Character);
  const over = bytes.length % 3;
  if (over === 0) return { inner, last: [] };
  const shared = new Set<string>();
  for (let next = 0; next < 256; next += 16) {
    // at most its four highest bits are in that character
    shared.add(
      Buffer.concat([bytes, Buffer.of(next, 0)])
        .toString("base64")
        .charAt(to),
    );
  }
  const padding: Form[] = [["="], ["%", "3", "dD"]];
  const last = [[...shared].flatMap(base64Character), padding, ...(over === 1 ? [padding] : [])];
  return { inner, last };
}

/** The standard and the URL alphabet, and the standard one escaped for a URL or for JSON. */
function base64Character(char: string): Form[] {
  if (char === "+") return [["+-"], ["%", "2", "bB"]];
  if (char === "/") return [["/_"], ["%", "2", "fF"], ["\\", "/"]];
  return [[char]];
}
