// Who keeps the notes of changes to a home's files.
import type { HomeNote, HomeSighting, HomeSubject } from "../events/home-notes.ts";

/** Whoever keeps the notes: the journal. */
export type HomeNotes = {
  homeNotes(of: Omit<HomeSubject, "name">): Promise<readonly HomeNote[]>;
  noteHome(sightings: readonly HomeSighting[]): Promise<void>;
};
export type AuditOptions = { readonly notes: HomeNotes; readonly by: string };
