// Ids of frames in windows that follow a run together with its subagents. Their numbers are positions in the session
// (W3), those of the run's own events are positions in the run (E2), and both are written `<run>:<number>`. So that an
// id of a window is never taken for one of the run's own stream, where it would skip events, its number begins with a
// zero: that stream refuses it (K2).
export function windowId(runId: string, seq: number): string {
  return `${runId}:0${seq}`;
}
