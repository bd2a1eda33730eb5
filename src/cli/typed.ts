// The command that restarts this program: what people are told to type has to work where they are.

const FROM_SOURCE = import.meta.filename.endsWith(".ts"); // a checkout; an installed program is JavaScript

export function typed(words: string): string {
  return FROM_SOURCE ? `npm run -s quarterdeck -- ${words}` : `quarterdeck ${words}`;
}

export const START = FROM_SOURCE ? "npm start" : "quarterdeck up";
