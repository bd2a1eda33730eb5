export function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p className="bad break-anywhere" role="alert">
      {text}
    </p>
  );
}
