// The error for stored data that is not what was written.
export class Corruption extends Error {
  override name = "Corruption";
}
