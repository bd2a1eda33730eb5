// What models used: summed for its run, and by when it was used.
import type { PayloadOf } from "../protocol/events.ts";
import type { Projection } from "./projections.ts";

export const projectUsage: Projection = (
  db,
  { log_key },
  p: PayloadOf<"usage.updated">,
  { seq, at },
) => {
  const input = Math.max(0, p.input_tokens ?? 0);
  const output = Math.max(0, p.output_tokens ?? 0);
  const tokens = Math.max(0, p.total_tokens ?? input + output);
  const cost = Math.max(0, p.cost_usd ?? 0);
  db.run(
    `UPDATE logs SET tokens = tokens + ?, input_tokens = input_tokens + ?,
     output_tokens = output_tokens + ?, cost_usd = cost_usd + ?, unpriced = max(unpriced, ?)
     WHERE log_key = ?`,
    tokens,
    input,
    output,
    cost,
    Number(p.cost_usd === null && tokens > 0),
    log_key,
  );
  db.run(
    `INSERT OR REPLACE INTO usage (created_at, log_key, seq, input_tokens, output_tokens,
     total_tokens, cost_usd) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    at,
    log_key,
    seq,
    input,
    output,
    tokens,
    cost,
  );
};
