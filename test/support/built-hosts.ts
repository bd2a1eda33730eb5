// Loaded before tests by `npm test`: processes that the test process itself starts (tool hosts, terminals, browser hosts)
// run the built program, as users have it. It starts in a fifth of the time of the sources.
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";

const FROM = "export const CODE = findCode();";
const built = dirname(
  process.env["QUARTERDECK_TEST_PROGRAM"] ?? join(import.meta.dirname, "../../dist/main.js"),
);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith("/src/kernel/workspace/host/program-places.ts")) return loaded;
    const source = Buffer.from(loaded.source as string).toString();
    if (!source.includes(FROM)) throw new Error(`${url} does not say where the program is`);
    return {
      ...loaded,
      source: source.replace(FROM, `export const CODE = ${JSON.stringify(built)};`),
    };
  },
});
