// A program with some files in its workspace, and the console's requests for them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { call, type Answer } from "../http.ts";
import { newTestHome, startProgram, type Program } from "../program.ts";

export type Data = Record<string, unknown>;

export const place = newTestHome({ demo_delay_ms: 0 });
export let program: Program;
export const at = (name: string) => join(place.workspace, name);
export const content = (name: string) => readFileSync(at(name), "utf8");

before(async () => {
  writeFileSync(at("poem.txt"), "one\ntwo needle\nthree\n");
  writeFileSync(at(".hidden"), "a hidden needle\n");
  mkdirSync(at("src/deep/deeper"), { recursive: true });
  writeFileSync(at("src/main.ts"), "const needle = 1;\n");
  writeFileSync(at("src/deep/deeper/x.md"), "x\n");
  writeFileSync(at("picture.png"), Buffer.from([0x89, 0x50, 0, 0, 1]));
  program = await startProgram(place);
});
after(async () => {
  await program?.[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

export const get = <Reply = Data>(path: string, query: Record<string, string> = {}) =>
  call<Reply>(
    program,
    "GET",
    `/api/gui/workspace/${path}?${new URLSearchParams(query).toString()}`,
  );
export const post = <Reply = Data>(path: string, body: object) =>
  call<Reply>(program, "POST", `/api/gui/workspace/${path}`, body);
/** The reason names what is missing. */
export const refusal = ({ status, body: { error } }: Answer<unknown>) => [
  status,
  error?.code === "not_found" ? error.details["reason"] : error?.code,
];
export const flat = ({ body }: Answer<unknown>) => {
  const { ok: _ok, data: _data, ...rest } = body as unknown as Data;
  return rest;
};
