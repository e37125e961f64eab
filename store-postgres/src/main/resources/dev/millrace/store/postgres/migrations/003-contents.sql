-- minimum: 1
CREATE TABLE @tasks (
  job bigint NOT NULL,
  stage int NOT NULL,
  task int NOT NULL,
  spec json,     -- as given; null: made of a result of the stage before
  rendered json, -- where "spec" is a template, or null
  PRIMARY KEY (job, stage, task)
) PARTITION BY RANGE (job);

-- An entry of the log names the result that counts; others are answers that came too late.
CREATE SEQUENCE @result_keys INCREMENT BY 1000; -- a server takes a thousand at once
CREATE TABLE @results (
  job bigint NOT NULL,
  key bigint NOT NULL,
  result json NOT NULL,
  PRIMARY KEY (job, key)
) PARTITION BY RANGE (job);

-- Output of attempts without a result.
CREATE TABLE @partial_outputs (
  job bigint NOT NULL,
  stage int NOT NULL,
  task int NOT NULL,
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  output json NOT NULL,
  PRIMARY KEY (job, stage, task, epoch, number)
) PARTITION BY RANGE (job);

-- Tokens of running tasks, written without waiting. A journal belongs to a log entry.
CREATE SEQUENCE @journal_positions INCREMENT BY 1000; -- a write takes a thousand at once
CREATE TABLE @journal (
  job bigint NOT NULL,
  stage int NOT NULL,
  task int NOT NULL,
  position bigint NOT NULL,
  entry_epoch bigint NOT NULL,
  entry_number bigint NOT NULL,
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  waits boolean NOT NULL,
  tokens int[] NOT NULL,
  pieces json NOT NULL,
  PRIMARY KEY (job, stage, task, position)
) PARTITION BY RANGE (job);

-- What no other partition takes: until there is one, and if the clock of the database was wrong.
CREATE TABLE @ended_jobs_rest PARTITION OF @ended_jobs DEFAULT;
CREATE TABLE @documents_rest PARTITION OF @documents DEFAULT;
CREATE TABLE @entries_rest PARTITION OF @entries DEFAULT;
CREATE TABLE @tasks_rest PARTITION OF @tasks DEFAULT;
CREATE TABLE @results_rest PARTITION OF @results DEFAULT;
CREATE TABLE @partial_outputs_rest PARTITION OF @partial_outputs DEFAULT;
CREATE TABLE @journal_rest PARTITION OF @journal DEFAULT;

-- Leases of claims whose workers are other processes.
CREATE TABLE @leases (
  job text NOT NULL,
  stage int NOT NULL,
  task int NOT NULL,
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  length interval NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (job, stage, task, epoch, number)
);
CREATE INDEX leases_until ON @leases (until);

CREATE TABLE @notes (
  collection text NOT NULL,
  name text COLLATE "C" NOT NULL,
  note json NOT NULL,
  PRIMARY KEY (collection, name)
);

-- For people. No program reads these views.
CREATE VIEW @job_list AS
  SELECT d.id, s.state, s.priority, d.created_at, s.updated_at, s.ended_at, d.tags, d.parent,
    d.document, d.key
  FROM @job_states s JOIN @documents d ON d.key = s.key;

CREATE VIEW @job_log AS
  SELECT d.id, (e.value ->> 'n')::bigint AS number, (e.value ->> 'at')::timestamptz AS at,
    e.value ->> 'on' AS "on", e.value ->> 'event' AS event, e.value AS entry
  FROM @documents d JOIN @entries l ON l.job = d.key
    CROSS JOIN LATERAL json_array_elements(l.entries) AS e (value);

CREATE VIEW @job_results AS
  SELECT d.id, l.stage, l.task, r.result ->> 'text' AS text, r.result -> 'receipt' AS receipt
  FROM @documents d JOIN (
      SELECT job, (e.value ->> 'stage')::int AS stage, (e.value ->> 'task')::int AS task,
        (e.value ->> 'offset')::bigint AS result
      FROM @entries CROSS JOIN LATERAL json_array_elements(entries) AS e (value)
      WHERE e.value ->> 'on' = 'task' AND e.value ->> 'event' IN ('complete', 'adopt')
    ) l ON l.job = d.key
    JOIN @results r ON r.job = l.job AND r.key = l.result;
