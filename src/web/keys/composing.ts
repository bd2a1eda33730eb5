// Whether a key belongs to an input method. Safari ends the composition before the key event, which then only
// has code 229.
type Pressed = { readonly isComposing: boolean; readonly keyCode: number };

const OF_AN_INPUT_METHOD = 229;

export function isComposing(event: Pressed): boolean {
  return event.isComposing || event.keyCode === OF_AN_INPUT_METHOD;
}
