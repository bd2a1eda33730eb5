// Choosing files from the disk.
import { useRef } from "react";
import { Button } from "../ui/button.tsx";

export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = ""; // the same file may be chosen again
        }}
      />
      <Button
        tone="quiet"
        size="icon"
        icon="clip"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => input.current?.click()}
      />
    </>
  );
}
