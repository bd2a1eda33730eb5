import assert from "node:assert/strict";
import { test } from "node:test";
import { AT_THE_END, held, left, released, resized, scrolled, seen, type Box } from "./tail.ts";

const box = (scrollTop: number, scrollHeight = 2_000): Box => ({
  scrollTop,
  scrollHeight,
  clientHeight: 500,
});
const atEnd = seen(AT_THE_END, box(1_500));

test("[UX] a wheel turned up leaves the end, however late the view moves", () => {
  const late = scrolled(left(atEnd), box(1_500), false); // an event of ours that was on its way
  assert.equal(late.following, false);
  const grown = scrolled(late, box(1_500, 2_400), false);
  assert.equal(grown.following, false);
  const moved = scrolled(grown, box(700, 2_400), true);
  assert.deepEqual([moved.following, moved.leaving], [false, false]);
  assert.equal(scrolled(moved, box(1_880, 2_400), false).following, true, "back by hand");
});

test("[UX] a small turn up leaves too, and a small turn down comes back", () => {
  const moved = scrolled(left(atEnd), box(1_480), true);
  assert.equal(moved.following, false);
  assert.equal(scrolled(moved, box(1_500), false).following, true);
});

test("[UX] content that shrinks moves nobody away; a reader who drags up leaves", () => {
  assert.equal(scrolled(atEnd, box(900, 1_400), true).following, true);
  assert.equal(scrolled(seen(atEnd, box(1_500)), box(1_000), true).following, false);
  assert.equal(scrolled(atEnd, box(1_490), true).following, true, "not for what focus does");
  const begun = scrolled(left(atEnd), box(1_490), true); // a slow scroll begins near the end
  assert.equal(resized(begun, box(1_490, 2_020), false).following, false, "and is not pulled back");
  assert.equal(scrolled(begun, box(1_480), true).following, false);
});

test("[UX] a view that moves up by itself is nobody leaving, and goes back to the end", () => {
  const measured = scrolled(atEnd, box(700), false); // rows above were smaller than estimated
  assert.equal(measured.following, true);
  assert.equal(scrolled(measured, box(400, 2_600), false).following, true, "nor the next time");
  assert.equal(resized(measured, box(700, 2_400), false).following, true, "so it is brought back");
  const away = scrolled(scrolled(atEnd, box(700), true), box(600), false);
  assert.equal(away.following, false, "but who left is not brought back by it");
  assert.equal(scrolled(away, box(1_460), false).following, true, "only by coming near the end");
});

test("[UX] what a reader unfolds stays where it is; what streams in is followed", () => {
  assert.equal(resized(atEnd, box(1_500, 2_600), true).following, false);
  assert.equal(resized(atEnd, box(1_500, 2_600), false).following, true);
  assert.equal(resized(atEnd, box(1_500, 2_020), true).following, true, "it fits");
  const unfolded = resized(atEnd, box(1_500, 2_600), true);
  assert.equal(resized(unfolded, box(1_500), true).following, true, "and folded again");
  assert.equal(
    resized(left(atEnd), box(1_500), false).following,
    false,
    "but nobody is called back",
  );
});

test("[UX] what is shown on purpose stays, whatever moves, until the reader moves", () => {
  const shown = held(atEnd);
  assert.equal(scrolled(scrolled(shown, box(200), true), box(1_500), true).following, false);
  assert.equal(resized(scrolled(shown, box(1_500), true), box(1_500), false).following, false);
  assert.equal(
    scrolled(released(scrolled(shown, box(200), true)), box(1_500), true).following,
    true,
  );
});
