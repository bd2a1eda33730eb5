// What a phone must never see: something wider than the screen, or too small for a finger.
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** Elements that stick out to the right, unless something that scrolls or clips holds them. */
export function overflow(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll("body *")]
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const drawer = element.closest("nav");
        const hidden = element.closest(".visually-hidden");
        return !drawer && !hidden && box.width > 0 && box.right > innerWidth + 1;
      })
      .filter((element) => {
        for (let box = element.parentElement; box; box = box.parentElement) {
          if (getComputedStyle(box).overflowX !== "visible" && box.tagName !== "BODY") return false;
        }
        return true;
      })
      .map((element) => element.outerHTML.slice(0, 120))
      .concat(document.documentElement.scrollWidth > innerWidth ? ["the page itself"] : [])`);
}

export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll("main button, main summary, main textarea, main input")]
      .filter((control) => !["radio", "checkbox"].includes(control.type))
      .filter((control) => control.offsetHeight > 0 && control.offsetHeight < 44)
      .filter((control) => !control.closest("summary") || control.tagName === "SUMMARY")
      .map((control) => control.offsetHeight + " " + control.outerHTML.slice(0, 120))`);
}

export async function fitsPhone(page: Page): Promise<void> {
  assert.deepEqual(await overflow(page), []);
  assert.deepEqual(await smallTargets(page), []);
}
