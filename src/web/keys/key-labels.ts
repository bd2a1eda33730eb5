// Key names for the person's keyboard.

type Keyboard = "mac" | "other";

const NAMES: Record<Keyboard, Readonly<Record<string, string>>> = {
  mac: { mod: "⌘", alt: "⌥", shift: "⇧" },
  other: { mod: "Ctrl", alt: "Alt", shift: "Shift" },
};
const KEYS: Readonly<Record<string, string>> = {
  arrowup: "↑",
  arrowdown: "↓",
  arrowleft: "←",
  arrowright: "→",
  escape: "Esc",
  enter: "Enter",
  space: "Space",
};

export function keyboardOf({ platform }: { platform: string }): Keyboard {
  return /mac|iphone|ipad/i.test(platform) ? "mac" : "other";
}

export function wordsOf(keys: string, keyboard: Keyboard): readonly string[] {
  return keys
    .split(" ")
    .map((chord) =>
      chord.split(/\+(?=.)/).map((key) => NAMES[keyboard][key] ?? KEYS[key] ?? key.toUpperCase()),
    )
    .reduce((all, chord) => [...all, "then", ...chord]);
}
