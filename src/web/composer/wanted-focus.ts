// A message that begins a session takes the writer along: the field they go on writing in is another one, and
// without it their next letters would be keys of the page.

let wanted: string | null = null;

/** The field of that place takes the focus as soon as it is there. */
export function wantFocus(place: string): void {
  wanted = place;
}

/** Once: whoever comes back later comes back for something else. */
export function takeWantedFocus(place: string): boolean {
  const isWanted = wanted === place;
  wanted = null;
  return isWanted;
}
