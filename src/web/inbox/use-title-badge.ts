// How much needs somebody, in front of the window's title, whichever page gave the title.
import { useEffect } from "react";

const BADGE = /^\(\d+\) /;

export function useTitleBadge(count: number): void {
  useEffect(() => {
    const title = document.querySelector("title");
    if (!title) return;
    const badge = () => {
      const plain = document.title.replace(BADGE, "");
      const wanted = count > 0 ? `(${count}) ${plain}` : plain;
      if (document.title !== wanted) document.title = wanted;
    };
    badge();
    const changes = new MutationObserver(badge);
    changes.observe(title, { childList: true, characterData: true, subtree: true });
    return () => changes.disconnect();
  }, [count]);
}
