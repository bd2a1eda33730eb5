// Streams of one run: which events belong to the run that is followed, and which to its subagents.
import { isChild, type CallIndex } from "../../../kernel/dialect/call-index.ts";
import { NOTHING } from "../../../kernel/dialect/dialect.ts";

type Of = { readonly run_id: string };
type Followed = { readonly calls: CallIndex; runId: string | null };
type Handler<Event, State, Frame> = (event: Event, state: State) => readonly Frame[];

/** Of the run itself. */
export function own<Event extends Of, State extends Followed, Frame>(
  handler: Handler<Event, State, Frame>,
): Handler<Event, State, Frame> {
  return (event, state) => (event.run_id === state.runId ? handler(event, state) : NOTHING);
}

/** Of the run and its subagents. */
export function anyOf<Event extends Of, State extends Followed, Frame>(
  handler: Handler<Event, State, Frame>,
): Handler<Event, State, Frame> {
  return (event, state) =>
    event.run_id === state.runId || isChild(state.calls, event) ? handler(event, state) : NOTHING;
}
