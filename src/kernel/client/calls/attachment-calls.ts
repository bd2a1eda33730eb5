// Where a file is sent, and with what: its bytes are the body, its name is a header. Whoever sends it does so
// with what tells of progress (a page: XMLHttpRequest), so this only says where.

export type UploadTarget = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

export function attachmentCalls(base: string, proof: () => Readonly<Record<string, string>>) {
  return {
    uploadTo: (name: string, path = "/api/attachments"): UploadTarget => ({
      url: `${base}${path}`,
      headers: {
        "content-type": "application/octet-stream",
        "x-file-name": encodeURIComponent(name.toWellFormed()),
        ...proof(),
      },
    }),
  };
}
