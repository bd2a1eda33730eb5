// The palette and the help, loaded on first use.
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { lazyPart } from "../ui/lazy-part.ts";
import { navigate } from "../use-route.ts";
import { useAction, useActions } from "./actions.ts";

const palette = () => import("./palette.tsx");
const Palette = lazy(async () => ({ default: (await palette()).Palette }));
const Help = lazyPart(() => import("./help.tsx"), "Help");

const FETCH_AFTER_MS = 2_000; // when the page itself is done

export function Overlays() {
  const [open, setOpen] = useState<"palette" | "help" | null>(null);
  const actions = useActions();
  const close = useCallback(() => setOpen(null), []);
  useEffect(() => {
    window.addEventListener("popstate", close); // what was behind it is another page now
    return () => window.removeEventListener("popstate", close);
  }, [close]);
  useAction({
    id: "page.palette",
    title: "Command palette",
    section: "Page",
    keys: ["mod+k"],
    run: () => setOpen("palette"),
  });
  useAction({
    id: "page.help",
    title: "Keyboard help",
    section: "Page",
    keys: ["?"],
    run: () => setOpen("help"),
  });
  usePlaces();
  // Preloads the palette: people type as soon as they press its key.
  useEffect(() => {
    const timer = setTimeout(() => void palette().catch(() => undefined), FETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Suspense fallback={<span data-overlay="coming" hidden />}>
      {open === "palette" && <Palette actions={actions} onClose={close} />}
      {open === "help" && <Help actions={actions} onClose={close} />}
    </Suspense>
  );
}

function usePlaces(): void {
  useAction({
    id: "go.new",
    title: "New session",
    section: "Go to",
    keys: ["g n"],
    run: () => navigate({ page: "start" }),
  });
  useAction({
    id: "go.inbox",
    title: "Inbox",
    section: "Go to",
    keys: ["g i"],
    run: () => navigate({ page: "inbox" }),
  });
  useAction({
    id: "go.composer",
    title: "Write a message",
    section: "Go to",
    keys: ["i"],
    run: () => document.getElementById("composer")?.focus(),
  });
}
