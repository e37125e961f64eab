-- minimum: 1
-- The views for people leave NUL characters out. JSON may have them, as an escape, but no text of the
-- database can: one of them would make every query fail that reads a field. An escape begins behind
-- an even number of backslashes.
CREATE FUNCTION @without_nul(given json) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN position('\u0000' IN given::text) = 0 THEN given
  ELSE regexp_replace(given::text, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')::json END;

CREATE OR REPLACE VIEW @job_list AS
  SELECT d.id, s.state, s.priority, d.created_at, s.updated_at, s.ended_at, d.tags, d.parent,
    @without_nul(d.document) AS document, d.key
  FROM @job_states s JOIN @documents d ON d.key = s.key;

CREATE OR REPLACE VIEW @job_log AS
  SELECT d.id, (e.value ->> 'n')::bigint AS number, (e.value ->> 'at')::timestamptz AS at,
    e.value ->> 'on' AS "on", e.value ->> 'event' AS event, e.value AS entry
  FROM @documents d JOIN @entries l ON l.job = d.key
    CROSS JOIN LATERAL json_array_elements(@without_nul(l.entries)) AS e (value);

CREATE OR REPLACE VIEW @job_results AS
  SELECT d.id, l.stage, l.task, r.result ->> 'text' AS text, r.result -> 'receipt' AS receipt
  FROM @documents d JOIN (
      SELECT job, (e.value ->> 'stage')::int AS stage, (e.value ->> 'task')::int AS task,
        (e.value ->> 'offset')::bigint AS result
      FROM @entries CROSS JOIN LATERAL json_array_elements(@without_nul(entries)) AS e (value)
      WHERE e.value ->> 'on' = 'task' AND e.value ->> 'event' IN ('complete', 'adopt')
    ) l ON l.job = d.key
    JOIN LATERAL (SELECT @without_nul(result) AS result FROM @results
      WHERE job = l.job AND key = l.result) r ON true;
