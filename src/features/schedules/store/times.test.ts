// What clocks that are changed do to schedules: fixed zones, fixed days. docs/schedules.md says the same in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../kernel/events/errors.ts";
import { describeSchedule } from "../describe-schedule.ts";
import { keptSchedule, timesOf, zoneNamed } from "./times.ts";

const at = (iso: string) => Date.parse(iso) / 1_000;
const shown = (seconds: number | null) =>
  seconds === null ? null : new Date(seconds * 1_000).toISOString().replace(":00.000Z", "Z");

function upcoming(schedule: string, time_zone: string, from: string, count = 3) {
  const times = timesOf({ schedule, time_zone, anchor_at: at(from) });
  const found: (string | null)[] = [];
  for (let next = times.next(at(from)); found.length < count; next = times.next(next)) {
    found.push(shown(next));
    if (next === null) break;
  }
  return found;
}

test("[Z1] a fixed time that does not exist that day comes right after the gap, once", () => {
  // In Berlin 2026-03-29 has no 02:00 to 03:00.
  assert.deepEqual(upcoming("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z"), [
    "2026-03-29T01:00Z", // 03:00, the first moment after the gap
    "2026-03-30T00:30Z",
    "2026-03-31T00:30Z",
  ]);
  assert.deepEqual(upcoming("2026-03-29T02:30", "Europe/Berlin", "2026-01-01T00:00:00Z"), [
    "2026-03-29T01:00Z",
    null,
  ]);
  // Lord Howe puts its clocks forward by half an hour: 2026-10-04 has no 02:00 to 02:30.
  assert.deepEqual(upcoming("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T18:00:00Z", 2), [
    "2026-10-03T15:30Z",
    "2026-10-04T15:15Z",
  ]);
});

test("[Z1] a fixed time that comes twice counts once: the first time", () => {
  // In Berlin 2026-10-25 has 02:00 to 03:00 twice.
  assert.deepEqual(upcoming("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z"), [
    "2026-10-25T00:30Z",
    "2026-10-26T01:30Z",
    "2026-10-27T01:30Z",
  ]);
  assert.deepEqual(upcoming("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:29:00Z"), [
    "2026-10-25T00:30Z",
    null,
  ]);
  const late = upcoming("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", 1);
  assert.deepEqual(late, ["2026-10-26T01:30Z"], "not once more an hour later");
});

test("[Z1a] what repeats by the minute or hour goes on in real time through both changes", () => {
  assert.deepEqual(upcoming("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 4), [
    "2026-10-25T00:30Z",
    "2026-10-25T01:00Z",
    "2026-10-25T01:30Z",
    "2026-10-25T02:00Z",
  ]);
  assert.deepEqual(upcoming("0 * * * *", "America/New_York", "2026-03-08T05:30:00Z"), [
    "2026-03-08T06:00Z",
    "2026-03-08T07:00Z", // 03:00: there is no 02:00
    "2026-03-08T08:00Z",
  ]);
  assert.deepEqual(upcoming("30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2), [
    "2026-03-29T01:30Z", // of a list, the one that does not exist is left out
    "2026-03-30T00:30Z",
  ]);
  assert.deepEqual(upcoming("30 2,3 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 3), [
    "2026-10-25T00:30Z",
    "2026-10-25T01:30Z", // 02:30 once more
    "2026-10-25T02:30Z",
  ]);
  assert.deepEqual(upcoming("every 12h", "Europe/Berlin", "2026-03-28T18:00:00Z", 2), [
    "2026-03-29T06:00Z",
    "2026-03-29T18:00Z",
  ]);
});

test("[Z1] every form of a schedule means what it says", () => {
  const cases: [schedule: string, next: (string | null)[], words: string][] = [
    ["0 9 * * 1-5", ["2026-01-01T09:00Z", "2026-01-02T09:00Z"], "at 09:00 on Monday to Friday"],
    ["@hourly", ["2026-01-01T01:00Z", "2026-01-01T02:00Z"], "every hour"],
    ["@Weekly", ["2026-01-04T00:00Z", "2026-01-11T00:00Z"], "at 00:00 on Sunday"],
    ["*/15 * * * *", ["2026-01-01T00:15Z", "2026-01-01T00:30Z"], "every 15 minutes"],
    [
      "0 0 L * *",
      ["2026-01-31T00:00Z", "2026-02-28T00:00Z"],
      "at 00:00 on the last day of the month",
    ],
    [
      "30 6 1,15 mar *",
      ["2026-03-01T06:30Z", "2026-03-15T06:30Z"],
      "at 06:30 on day 1 and 15 of the month in March",
    ],
    ["every 90 minutes", ["2026-01-01T01:30Z", "2026-01-01T03:00Z"], "every 90 minutes"],
    ["every day", ["2026-01-02T00:00Z", "2026-01-03T00:00Z"], "every day"],
    ["2026-03-31T09:00", ["2026-03-31T09:00Z", null], "once, on 2026-03-31 at 09:00"],
    [
      "2026-03-31 09:00+02:00",
      ["2026-03-31T07:00Z", null],
      "once, on 2026-03-31 at 09:00 (UTC+02:00)",
    ],
    ["in 30m", ["2026-01-01T00:30Z", null], "once, in 30 minutes"],
    ["2h", ["2026-01-01T02:00Z", null], "once, in 2 hours"],
    [
      "1-10/3 0 * * *",
      ["2026-01-01T00:01Z", "2026-01-01T00:04Z"],
      "on the cron pattern “1-10/3 0 * * *”",
    ],
  ];
  for (const [schedule, next, words] of cases) {
    assert.deepEqual(upcoming(schedule, "UTC", "2026-01-01T00:00:00Z", 2), next, schedule);
    assert.equal(describeSchedule(schedule), words);
  }
  assert.equal(keptSchedule("in 30m", at("2026-01-01T00:00:00Z")), "2026-01-01T00:30:00Z");
  assert.equal(keptSchedule(" 0 9 * * * ", 0), "0 9 * * *");
});

test("[Z1] what is no schedule, no zone or no time is refused with the reason", () => {
  const wrong = [
    "",
    "soon",
    "0 9 * *",
    "0 9 * * * *",
    "61 * * * *",
    "a b c d e",
    "every 0m",
    "every 3 fortnights",
    "in 99999999h",
    "2026-02-30T09:00",
    "2026-01-01T25:00",
    "@reboot",
    "* * * * * ; rm -rf /",
    "*/0 * * * *",
  ];
  for (const schedule of wrong) {
    const refuse = () => timesOf({ schedule, time_zone: "UTC", anchor_at: 0 }).next(0);
    assert.throws(
      refuse,
      (error) => error instanceof ApiError && error.code === "invalid_request",
      schedule,
    );
  }
  for (const zone of ["", "Mars/Olympus", "+02:00", "../etc/passwd", "UTC\0", "Europe/Berlin\n"]) {
    assert.throws(() => zoneNamed(zone), ApiError, zone);
  }
  assert.equal(zoneNamed("europe/berlin"), "Europe/Berlin");
  assert.deepEqual(upcoming("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z"), [null]);
});
