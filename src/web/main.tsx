import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { readEnvelope } from "../kernel/client/api-failure.ts";
import { App } from "./app.tsx";
import type { Asked } from "./auth/use-auth.ts";
import { firstAnswer } from "./first-read.ts";
import { prepareFirstScreen } from "./first-screen.ts";
import { startLook } from "./settings/theme.ts";
import "./theme.css";
import { ErrorBoundary } from "./ui/error-boundary.tsx";

const broken = ({ message }: Error) => (
  <p role="alert">This page broke: {message}. Your runs are not affected; reload to go on.</p>
);

startLook();
const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root");
const asked = firstAnswer?.then(readEnvelope) as Promise<Asked> | undefined;
void prepareFirstScreen(asked).then(() =>
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary fallback={broken}>
        <App asked={asked} />
      </ErrorBoundary>
    </StrictMode>,
  ),
);
