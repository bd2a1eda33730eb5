// What was read is not what was written.
export class Corruption extends Error {
  override name = "Corruption";
}
