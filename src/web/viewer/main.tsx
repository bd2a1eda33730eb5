// Starts the viewer of an exported file, which has everything in itself.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { recordedFile } from "../../features/share/client/file.ts";
import { startLook } from "../settings/theme.ts";
import "../theme.css";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { addressInFragment, navigate } from "../use-route.ts";
import { Viewer } from "./viewer.tsx";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root");
startLook();
addressInFragment();

const broken = ({ message }: Error) => (
  <p role="alert">This recording cannot be shown: {message}.</p>
);

async function start(at: HTMLElement): Promise<void> {
  const page = createRoot(at);
  try {
    const file = recordedFile(await unpacked());
    beginAt(file.manifest.session_id);
    page.render(
      <StrictMode>
        <ErrorBoundary fallback={broken}>
          <Viewer file={file} />
        </ErrorBoundary>
      </StrictMode>,
    );
  } catch (error) {
    page.render(broken(error as Error));
  }
}

/** A copied address opens its place; any other opens the beginning. */
function beginAt(sessionId: string): void {
  const begun = location.hash.startsWith(`#/s/${encodeURIComponent(sessionId)}`);
  if (!begun) navigate({ page: "session", sessionId }, { replace: true });
}

async function unpacked(): Promise<string> {
  const text = document.getElementById("recording")?.textContent ?? "";
  const bytes = Uint8Array.from(atob(text.trim()), (char) => char.codePointAt(0) ?? 0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

void start(root);
