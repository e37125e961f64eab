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
