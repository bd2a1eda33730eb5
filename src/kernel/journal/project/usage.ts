// Model usage: summed per run, and by the time of use.
import type { PayloadOf } from "../../events/events.ts";
import type { Projection } from "./projections.ts";

const SUM = `
  UPDATE logs SET tokens = tokens + ?, input_tokens = input_tokens + ?,
    output_tokens = output_tokens + ?, cost_usd = cost_usd + ?,
    unpriced = CASE WHEN CAST(? AS INTEGER) = 1 THEN 1 ELSE unpriced END
  WHERE log_key = ?`;
const ADD = `
  INSERT INTO usage (created_at, log_key, seq, input_tokens, output_tokens, total_tokens, cost_usd)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

export const projectUsage: Projection = ({ log_key }, p: PayloadOf<"usage.updated">, place) => {
  const input = Math.max(0, p.input_tokens ?? 0);
  const output = Math.max(0, p.output_tokens ?? 0);
  const tokens = Math.max(0, p.total_tokens ?? input + output);
  const cost = Math.max(0, p.cost_usd ?? 0);
  const unpriced = Number(p.cost_usd === null && tokens > 0);
  return [
    [SUM, tokens, input, output, cost, unpriced, log_key],
    [ADD, place.at, log_key, place.seq, input, output, tokens, cost],
  ];
};
