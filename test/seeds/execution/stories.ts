// Sessions as they happened, from the native API, and as the daemon window tells them: events have the same numbers.
import { readEvents } from "../../support/http.ts";
import type { Envelope, Fields, World } from "../hud/world.ts";

export const everyEnvelope = ({ daemon, snapshots }: World): readonly Envelope[] => [
  ...(daemon[0] ?? []),
  ...Object.values(snapshots).flatMap(({ events }) => events),
];
export const paramsOf = (envelopes: readonly Envelope[], method: string): readonly Fields[] =>
  envelopes.filter(({ event }) => event.method === method).map(({ event }) => event.params);

export type Native = {
  readonly session_id: string;
  readonly session_seq: number;
  readonly run_id: string;
  readonly type: string;
  readonly created_at: number;
  readonly payload: Fields;
};
export type Story = { readonly happened: readonly Native[]; readonly emitted: readonly Envelope[] };

const known = new WeakMap<World, Promise<readonly Story[]>>();

/** Every session that rows look at, as it happened and as it is told. */
export function storiesOf(world: World): Promise<readonly Story[]> {
  const stories = known.get(world) ?? readStories(world);
  known.set(world, stories);
  return stories;
}

async function readStories(world: World): Promise<Story[]> {
  const ids = new Set(everyEnvelope(world).map(({ sessionId }) => sessionId));
  return Promise.all(
    [...ids].map(async (id) => {
      const { events: emitted, lastEventId: take } = await world.snapshot(id);
      const path = `/api/sessions/${encodeURIComponent(id)}/events`;
      const { frames } = await readEvents(world.program, path, { take });
      return { happened: frames.map(({ data }) => JSON.parse(data) as Native), emitted };
    }),
  );
}

/** What subagents do inside is not told. */
export function ofRoots(happened: readonly Native[]): readonly Native[] {
  const begun = happened.filter(({ type }) => type === "subagent.started");
  const children = new Set(begun.map(({ payload }) => payload["child_run_id"]));
  return happened.filter(({ run_id }) => !children.has(run_id));
}
