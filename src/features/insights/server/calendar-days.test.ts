import assert from "node:assert/strict";
import { test } from "node:test";
import { dateAt, daysBetween, isDate, shifted, zoneOf } from "./calendar-days.ts";

const HOUR = 3_600;
const hours = (zone: string, date: string) =>
  daysBetween(zoneOf(zone), date, date).map(({ start, end }) => (end - start) / HOUR);

test("[I4] a day has as many hours as the clock of its zone gave it", () => {
  assert.deepEqual(hours("UTC", "2026-03-29"), [24]);
  assert.deepEqual(hours("Europe/Berlin", "2026-03-28"), [24]);
  assert.deepEqual(hours("Europe/Berlin", "2026-03-29"), [23]);
  assert.deepEqual(hours("Europe/Berlin", "2026-10-25"), [25]);
  assert.deepEqual(hours("Australia/Lord_Howe", "2026-04-05"), [24.5]);
  assert.deepEqual(hours("America/New_York", "2026-11-01"), [25]);
});

test("[I4] a day may begin at one o'clock, or not be there at all", () => {
  const [beirut] = daysBetween(zoneOf("Asia/Beirut"), "2024-03-31", "2024-03-31");
  assert.equal(beirut?.start, Date.parse("2024-03-31T01:00+03:00") / 1_000);
  const apia = daysBetween(zoneOf("Pacific/Apia"), "2011-12-29", "2011-12-31");
  assert.deepEqual(
    apia.map(({ start, end }) => (end - start) / HOUR),
    [24, 0, 24],
  );
});

test("[I4] days follow each other without gaps and begin with a quarter of an hour", () => {
  for (const name of ["Asia/Kathmandu", "Asia/Kolkata", "Pacific/Chatham", "America/St_Johns"]) {
    const zone = zoneOf(name);
    const days = daysBetween(zone, "2026-01-01", "2026-12-31");
    assert.equal(days.length, 365);
    for (const [at, { date, start, end }] of days.entries()) {
      assert.equal(start % 900, 0, `${name} ${date}`);
      assert.equal(end, days[at + 1]?.start ?? end);
      assert.equal(dateAt(zone, start * 1_000), date);
      assert.equal(dateAt(zone, start * 1_000 - 1), shifted(date, -1));
    }
  }
});

test("[I4] what is no day and no zone is refused", () => {
  for (const text of ["2026-02-30", "2026-1-1", "1999-01-01", "9999-12-31", "today", ""]) {
    assert.equal(isDate(text), false, text);
  }
  assert.equal(isDate("2024-02-29"), true);
  for (const name of ["Mars/Olympus", "", "../etc", "UTC;DROP"]) {
    assert.throws(() => zoneOf(name), { code: "invalid_request" });
  }
});
