// Where to upload a file and with which headers. The caller sends it, because a page needs XMLHttpRequest to show
// progress.

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
