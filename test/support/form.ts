// Parses a multipart body, with files as their bytes.

export async function formOf(
  body: Buffer<ArrayBuffer>,
  type: string,
): Promise<Record<string, unknown>> {
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form) {
    fields[name] = typeof value === "string" ? value : Buffer.from(await value.arrayBuffer());
  }
  return fields;
}
