// Starts the page.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { startLook } from "./settings/theme.ts";
import "./theme.css";
import { ErrorBoundary } from "./ui/error-boundary.tsx";

const broken = ({ message }: Error) => (
  <p role="alert">This page broke: {message}. Your runs are not affected; reload to go on.</p>
);

startLook();
const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root");
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary fallback={broken}>
      <App />
    </ErrorBoundary>
  </StrictMode>,
);
