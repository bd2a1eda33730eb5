// Whether the time is what it must be after the time that has passed. A clock that was set by mistake is soon set
// back: what a schedule decided meanwhile would stay decided, and a schedule of every minute would stand still for a
// day. So a jump is believed only when it has stood for a while. A machine that slept has not jumped: its uptime went on.
import { uptime } from "node:os";

const TOLERANCE_S = 30; // clocks are corrected all the time, a little
const HOLD_S = 300;

/** To be told the time now and then. `seconds`: on a clock that nobody sets and that goes on while the machine sleeps. */
export function believedTime(seconds: () => number = uptime): (now: number) => boolean {
  let believed: number | undefined; // what the wall clock is ahead of the uptime
  let doubted: { readonly ahead: number; readonly since: number } | undefined;
  return (now) => {
    const at = seconds();
    const ahead = now - at;
    if (believed === undefined || isClose(ahead, believed)) {
      [believed, doubted] = [ahead, undefined];
      return true;
    }
    if (!doubted || !isClose(ahead, doubted.ahead)) doubted = { ahead, since: at };
    if (at - doubted.since < HOLD_S) return false;
    [believed, doubted] = [ahead, undefined];
    return true;
  };
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= TOLERANCE_S;
}
