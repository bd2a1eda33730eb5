// Whether the view follows the end. A wheel turned up, a finger or a key is a reader leaving, however long
// the browser takes to move the view after it. Rows that turn out smaller than estimated move the view too:
// a view that moved up is a reader who left only when the reader did something just before. Pure.

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

/** `byReader`: they did something just before that can move the view up. */
export function scrolled(tail: Tail, box: Box, byReader: boolean): Tail {
  const { scrollTop: top, scrollHeight: height } = box;
  if (tail.held) return seen(tail, box);
  const movedUp = byReader && top < tail.top - 1 && height >= tail.height;
  const movedDown = top > tail.top + 1;
  const near = isNear(box);
  // A reader who left comes back by moving down. An event of our own scrolling that was still on its way
  // when they left is no move, and brings nobody back.
  const leaving = near && tail.leaving && !movedDown;
  const following = near ? !leaving : tail.following && !movedUp;
  return { following, leaving, held: false, top, height };
}

/** The reader turned away from the end. */
export function left(tail: Tail): Tail {
  return { ...tail, following: false, leaving: true };
}

/** Something else is shown on purpose: no scrolling but the reader's own ends that. */
export function held(tail: Tail): Tail {
  return { ...tail, following: false, held: true };
}

/** The reader took over. */
export function released(tail: Tail): Tail {
  return tail.held ? { ...tail, held: false } : tail;
}

/** The content has another size. What a reader unfolded stays where it is, if it does not fit. */
export function resized(tail: Tail, box: Box, unfolded: boolean): Tail {
  if (tail.held || tail.leaving) return tail;
  if (isNear(box)) return tail.following ? tail : { ...tail, following: true }; // folded again
  return tail.following && unfolded ? { ...seen(tail, box), following: false } : tail;
}

/** The view was moved by us. */
export function seen(tail: Tail, { scrollTop: top, scrollHeight: height }: Box): Tail {
  return { ...tail, top, height };
}

function isNear({ scrollTop, scrollHeight, clientHeight }: Box): boolean {
  return scrollHeight - clientHeight - scrollTop <= NEAR_PX;
}
