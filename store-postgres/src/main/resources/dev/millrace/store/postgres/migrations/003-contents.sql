-- minimum: 1
CREATE TABLE @tasks (
  job bigint NOT NULL,
  stage int NOT NULL,
  task int NOT NULL,
  spec json,     -- as given; null: made of a result of the stage before
  rendered json, -- where "spec" is a template, or null
  PRIMARY KEY (job, stage, task)
);

-- An entry of the log names the result that counts; others are answers that came too late.
CREATE TABLE @results (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job bigint NOT NULL,
  result json NOT NULL
);
CREATE INDEX results_job ON @results (job);

-- Output of attempts without a result.
CREATE TABLE @partial_outputs (
  job bigint NOT NULL,
  stage int NOT NULL,
  task int NOT NULL,
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  output json NOT NULL,
  PRIMARY KEY (job, stage, task, epoch, number)
);

-- Tokens of running tasks, written without waiting. A journal belongs to a log entry.
CREATE TABLE @journal (
  job bigint NOT NULL,
  stage int NOT NULL,
  task int NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  entry_epoch bigint NOT NULL,
  entry_number bigint NOT NULL,
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  waits boolean NOT NULL,
  tokens int[] NOT NULL,
  pieces json NOT NULL,
  PRIMARY KEY (job, stage, task, position)
);

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
