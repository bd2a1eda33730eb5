// A wall clock that a test sets while the program runs: libfaketime, preloaded into every process that gets `env`. The
// monotonic clock and the uptime continue, as when a person or a time server sets a real clock.
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LIBRARIES = ["x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf"].flatMap(
  (machine) => [`/usr/lib/${machine}/faketime/libfaketimeMT.so.1`],
);

/** Undefined where libfaketime is not installed. */
export function faketime(): string | undefined {
  return LIBRARIES.find((path) => existsSync(path));
}

export function fakeClock(library: string, folder: string) {
  const file = join(folder, "clock");
  const set = (seconds: number) => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`);
    renameSync(`${file}.new`, file); // a partially written file would be a third time
  };
  set(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1", // its name in older releases
  };
  /** Seconds ahead of the real time, or behind it. */
  return { env, set };
}
