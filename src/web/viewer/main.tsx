// Starts the page of a recording: everything it shows is in the file it stands in, and there is nothing to ask.
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

/** An address that somebody copied opens its place; every other is the session's beginning. */
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
