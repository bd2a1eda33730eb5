// The report that the real client's pages "Usage" and "Insights" read. They calculate with every number in it
// without looking whether it is one, so a cost that is not known is 0 here, with `has_pricing: false` beside it.
import type { Journal } from "../../kernel/journal/journal.ts";
import type { SessionSummary } from "../../kernel/api/records/records.ts";
import { dateAt, shifted, zoneOf } from "../../features/insights/server/calendar-days.ts";

const PAGE = 200;
const MAX_SESSIONS = 2_000;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Sessions that began since then, newest first. Lists are by their newest event, which is never older. */
export async function sessionsSince(journal: Journal, since: number): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for (let offset = 0; offset < MAX_SESSIONS; offset += PAGE) {
    const { sessions } = await journal.reads.sessionSummaries({ limit: PAGE, offset });
    found.push(...sessions.filter(({ created_at }) => created_at >= since));
    const oldest = sessions.at(-1);
    if (sessions.length < PAGE || !oldest || oldest.updated_at < since) break;
  }
  return found;
}

type Costed = { readonly model: string; readonly cost: number | null };
type Titled = {
  readonly session_id: string;
  readonly title?: string | undefined;
  readonly total_tokens: number;
};
type Insights = {
  readonly overview: { readonly estimated_cost: number | null };
  readonly models: readonly Costed[];
  readonly top_sessions: readonly Titled[];
};

export function reportOf<Given extends Insights>(
  insights: Given,
  sessions: readonly SessionSummary[],
  tz: string | undefined,
) {
  const total_messages = sum(sessions, ({ messages }) => messages);
  const seconds = sum(sessions, ({ created_at, updated_at }) => updated_at - created_at);
  const count = Math.max(1, sessions.length);
  const zone = zoneOf(tz ?? "UTC");
  return {
    ...insights,
    overview: {
      ...insights.overview,
      estimated_cost: insights.overview.estimated_cost ?? 0,
      total_messages,
      avg_session_duration: seconds / count,
      avg_messages_per_session: total_messages / count,
    },
    models: insights.models.map((row) => ({
      ...row,
      sessions: sessions.filter(({ model }) => model === row.model).length,
      has_pricing: row.cost !== null,
      cost: row.cost ?? 0,
    })),
    platforms: platformsOf(sessions),
    activity: activityOf(sessions, zone),
    top_sessions: insights.top_sessions.map((row) => ({
      ...row,
      label: row.title || row.session_id,
      value: `${row.total_tokens} tokens`,
      date: dateOf(sessions, row, zone),
    })),
  };
}

function platformsOf(sessions: readonly SessionSummary[]) {
  const bySource = Map.groupBy(sessions, ({ source }) => source);
  return [...bySource].map(([platform, of]) => ({
    platform,
    sessions: of.length,
    messages: sum(of, ({ messages }) => messages),
    input_tokens: sum(of, ({ input_tokens }) => input_tokens),
    output_tokens: sum(of, ({ output_tokens }) => output_tokens),
    total_tokens: sum(of, ({ total_tokens }) => total_tokens),
    tool_calls: sum(of, ({ tool_calls }) => tool_calls),
  }));
}

/** Of sessions that began: how many on which weekday and in which hour. */
function activityOf(sessions: readonly SessionSummary[], zone: Intl.DateTimeFormat) {
  const dates = sessions.map(({ created_at }) => dateAt(zone, created_at * 1_000));
  const hours = sessions.map(({ created_at }) => hourAt(zone, created_at * 1_000));
  const weekday = (date: string) => (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7;
  const active = new Set(dates);
  return {
    by_day: WEEKDAYS.map((day, index) => ({
      day,
      count: dates.filter((date) => weekday(date) === index).length,
    })),
    by_hour: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      count: hours.filter((each) => each === hour).length,
    })),
    active_days: active.size,
    max_streak: longestStreak(active),
  };
}

function longestStreak(dates: ReadonlySet<string>): number {
  let [longest, streak, before] = [0, 0, ""];
  for (const date of [...dates].toSorted()) {
    streak = date === shifted(before || date, 1) ? streak + 1 : 1;
    longest = Math.max(longest, streak);
    before = date;
  }
  return longest;
}

function hourAt(zone: Intl.DateTimeFormat, ms: number): number {
  return Number(zone.formatToParts(ms).find(({ type }) => type === "hour")?.value ?? 0);
}

function dateOf(sessions: readonly SessionSummary[], row: Titled, zone: Intl.DateTimeFormat) {
  const found = sessions.find(({ session_id }) => session_id === row.session_id);
  return found ? dateAt(zone, found.created_at * 1_000) : "";
}

function sum<Each>(all: readonly Each[], of: (each: Each) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}
