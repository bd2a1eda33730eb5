// The sidebar as a drawer over the page of a small screen: it has the focus and Escape while it is open, and
// what is behind it can be neither reached nor pressed.
import { useEffect, type RefObject } from "react";
import { isComposing } from "../keys/composing.ts";

const SMALL = "(width <= 720px)"; // as in sidebar.module.css

export function useDrawer(
  panel: RefObject<HTMLElement | null>,
  isOpen: boolean,
  onClose: () => void,
): void {
  useEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    const giveBack = keepFrom(document.getElementById("main"));
    panel.current?.querySelector("a")?.focus();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || isComposing(event)) return;
      event.preventDefault(); // or it would stop the run as well
      onClose();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      giveBack();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else document.getElementById("main")?.focus(); // another page took its place
    };
  }, [panel, isOpen, onClose]);
}

/** On a large screen, which a window can become, the drawer is beside the page and keeps nobody from it. */
function keepFrom(main: HTMLElement | null): () => void {
  const small = matchMedia(SMALL);
  const set = () => {
    if (main) main.inert = small.matches;
  };
  set();
  small.addEventListener("change", set);
  return () => {
    small.removeEventListener("change", set);
    if (main) main.inert = false;
  };
}
