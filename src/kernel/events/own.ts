/** Tables are looked up by what models, providers and clients wrote: `record["constructor"]` would be a function. */
export function own<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
