// The append as a function inside Postgres: it locks the heads, checks that they are what the writer assumed (fence,
// seq), moves them and stores the events, in one call. A writer whose assumption was wrong gets QD001 and has changed
// nothing. Sessions are locked before logs, and each in the order of their keys, as everywhere, so that writers cannot
// deadlock.
export const MOVED = "QD001";

export const appendEvents = `
CREATE FUNCTION append_events(
  of_sessions bigint[], session_from bigint[], session_to bigint[], session_at double precision[], session_hour bigint[],
  of_logs bigint[], fences bigint[], log_from bigint[], log_to bigint[], hashes text[], checksums bigint[],
  log_chars bigint[], last_ats double precision[],
  event_logs bigint[], event_sessions bigint[], seqs bigint[], session_seqs bigint[],
  event_checksums bigint[], event_chars bigint[], bodies text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
BEGIN
  IF cardinality(of_sessions) > 1 THEN
    PERFORM 1 FROM sessions WHERE session_key = ANY (of_sessions) ORDER BY session_key FOR UPDATE;
  END IF;
  UPDATE sessions s SET seq = w.until, updated_at = w.at, updated_hour = w.hour
  FROM unnest(of_sessions, session_from, session_to, session_at, session_hour) AS w (key, since, until, at, hour)
  WHERE s.session_key = w.key AND s.seq = w.since;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(of_sessions) THEN
    RAISE EXCEPTION 'a session has moved' USING ERRCODE = '${MOVED}';
  END IF;

  IF cardinality(of_logs) > 1 THEN
    PERFORM 1 FROM logs WHERE log_key = ANY (of_logs) ORDER BY log_key FOR UPDATE;
  END IF;
  UPDATE logs l SET seq = w.until, hash = w.hash, checksum = w.checksum, chars = w.chars, last_at = w.at
  FROM unnest(of_logs, fences, log_from, log_to, hashes, checksums, log_chars, last_ats)
    AS w (key, fence, since, until, hash, checksum, chars, at)
  WHERE l.log_key = w.key AND l.fence = w.fence AND l.seq = w.since AND l.ended_at IS NULL;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(of_logs) THEN
    RAISE EXCEPTION 'a log has moved' USING ERRCODE = '${MOVED}';
  END IF;

  -- A body is JSON, so it has no line break of its own.
  INSERT INTO events (log_key, session_key, seq, session_seq, checksum, chars, body)
  SELECT * FROM ROWS FROM (
    unnest(event_logs, event_sessions, seqs, session_seqs, event_checksums, event_chars),
    string_to_table(bodies, E'\\n'));
END $$;
`;

/** The same for one log, as in nearly all appends: without joins, with positions counted from the first. */
export const appendToLog = `
CREATE FUNCTION append_to_log(
  of_session bigint, session_from bigint, session_at double precision, session_hour bigint,
  of_log bigint, held_fence bigint, log_from bigint, log_hash text, log_checksum bigint, log_chars bigint,
  event_checksums bigint[], event_chars bigint[], bodies text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  many bigint := cardinality(event_checksums);
BEGIN
  UPDATE sessions SET seq = session_from + many, updated_at = session_at, updated_hour = session_hour
  WHERE session_key = of_session AND seq = session_from;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a session has moved' USING ERRCODE = '${MOVED}';
  END IF;
  UPDATE logs SET seq = log_from + many, hash = log_hash, checksum = log_checksum, chars = log_chars, last_at = session_at
  WHERE log_key = of_log AND fence = held_fence AND seq = log_from AND ended_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a log has moved' USING ERRCODE = '${MOVED}';
  END IF;
  INSERT INTO events (log_key, session_key, seq, session_seq, checksum, chars, body)
  SELECT of_log, of_session, log_from + e.place, session_from + e.place, e.checksum, e.chars, e.body
  FROM ROWS FROM (unnest(event_checksums, event_chars), string_to_table(bodies, E'\\n'))
    WITH ORDINALITY AS e (checksum, chars, body, place);
END $$;
`;
