// Whether the view follows the end. Only a reader's own wheel, touch or key counts as leaving, because rows
// smaller than estimated move the view too. Pure.

export type Tail = {
  readonly following: boolean;
  readonly leaving: boolean; // the reader turned away, and the view may still stand at the end
  readonly held: boolean; // we show something else on purpose, until the reader moves
  readonly top: number; // as last seen
  readonly height: number;
};
export type Box = {
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
};

const NEAR_PX = 48; // this close to the end counts as being there

export const AT_THE_END: Tail = {
  following: true,
  leaving: false,
  held: false,
  top: 0,
  height: 0,
};

/** `byReader`: the reader has just done something that can move the view up. */
export function scrolled(tail: Tail, box: Box, byReader: boolean): Tail {
  const { scrollTop: top, scrollHeight: height } = box;
  if (tail.held) return seen(tail, box);
  const movedUp = byReader && top < tail.top - 1 && height >= tail.height;
  const movedDown = top > tail.top + 1;
  const near = isNear(box);
  // A reader comes back by scrolling down; a late event of our own scrolling does not count.
  const leaving = near && tail.leaving && !movedDown;
  const following = near ? !leaving : tail.following && !movedUp;
  return { following, leaving, held: false, top, height };
}

export function left(tail: Tail): Tail {
  return { ...tail, following: false, leaving: true };
}

/** Something else is shown on purpose until the reader scrolls. */
export function held(tail: Tail): Tail {
  return { ...tail, following: false, held: true };
}

export function released(tail: Tail): Tail {
  return tail.held ? { ...tail, held: false } : tail;
}

/** The content was resized. What a reader expanded stays in place if it does not fit. */
export function resized(tail: Tail, box: Box, unfolded: boolean): Tail {
  if (tail.held || tail.leaving) return tail;
  if (isNear(box)) return tail.following ? tail : { ...tail, following: true }; // folded again
  return tail.following && unfolded ? { ...seen(tail, box), following: false } : tail;
}

/** We moved the view. */
export function seen(tail: Tail, { scrollTop: top, scrollHeight: height }: Box): Tail {
  return { ...tail, top, height };
}

function isNear({ scrollTop, scrollHeight, clientHeight }: Box): boolean {
  return scrollHeight - clientHeight - scrollTop <= NEAR_PX;
}
