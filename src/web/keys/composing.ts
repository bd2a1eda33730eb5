// Whether a key belongs to an input method that puts a word together: its Enter chooses a word and its Escape drops
// one. Safari ends the composition before it tells the key that ended it, of which only this number is left.
type Pressed = { readonly isComposing: boolean; readonly keyCode: number };

const OF_AN_INPUT_METHOD = 229;

export function isComposing(event: Pressed): boolean {
  return event.isComposing || event.keyCode === OF_AN_INPUT_METHOD;
}
