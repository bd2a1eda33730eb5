// The message field of the start page: no commands, nothing to stop.
import type { ReactNode } from "react";
import { ComposerForm } from "./message-form.tsx";
import type { Written } from "./use-message-form.ts";

export type MessageFormProps = {
  place: string;
  placeholder: string;
  onSend: (text: string) => void;
  /** Without it, no files are accepted. */
  onSendFiles?: (written: Written) => void;
  note?: string | null;
  children?: ReactNode;
};

export function MessageForm({ place, placeholder, onSend, ...rest }: MessageFormProps) {
  const { onSendFiles, note, children } = rest;
  return (
    <ComposerForm
      place={place}
      placeholder={placeholder}
      takesFiles={onSendFiles !== undefined}
      onSend={(written) => (onSendFiles ? onSendFiles(written) : onSend(written.text))}
      problem={note}
      keys="Enter to send · Shift+Enter for a new line"
    >
      {children}
    </ComposerForm>
  );
}
