// The seed documents as numbered tables: each row is one sentence of a document and the check that
// holds the running product to it. The same tables make docs/conformance.md, so a row that is not
// executed cannot be listed as met.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

export type Row<World> = {
  /** The document's letter and a number: "C12". Numbers run without holes. */
  readonly id: string;
  /** The requirement, as a short sentence. */
  readonly says: string;
  /** Where the product deliberately does something else: what it does, and why. The check then holds it to that. */
  readonly difference?: string;
  /** The test's own context, for what cannot be looked at on every machine. */
  readonly check: (world: World, t: TestContext) => void | Promise<void>;
};

/** What docs/conformance.md needs to know of a row. */
export type Listed = Omit<Row<never>, "check">;

export type Document<World> = {
  readonly letter: string;
  readonly title: string;
  /** Its file in the folder of seed documents. */
  readonly file: string;
  readonly rows: readonly Row<World>[];
};

/** Runs every row against one world; `open` starts the product and prepares what the rows look at. */
export function checkDocument<World extends AsyncDisposable>(
  document: Document<World>,
  open: () => Promise<World>,
): void {
  const { letter, title, rows } = document;
  test(`${title}: rows are numbered ${letter}1 to ${letter}${rows.length}`, () => {
    const expected = rows.map((_, index) => `${letter}${index + 1}`);
    assert.deepEqual(
      rows.map(({ id }) => id),
      expected,
    );
  });
  test(title, async (t) => {
    await using world = await open();
    for (const { id, says, check } of rows) {
      await t.test(`${id} ${says}`, (row) => check(world, row));
    }
  });
}
