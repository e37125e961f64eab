-- minimum: 1
-- A key has the milliseconds of its creation and 20 bits of this counter. So keys grow with time,
-- and what is partitioned by them is partitioned by time.
CREATE SEQUENCE @job_counter MINVALUE 0 MAXVALUE 1048575 CYCLE;

-- The public ids of all jobs.
CREATE TABLE @job_ids (
  sort_key text COLLATE "C" PRIMARY KEY, -- the id in a form that sorts by time
  key bigint NOT NULL DEFAULT
    ((extract(epoch FROM clock_timestamp()) * 1000)::bigint << 20) + nextval('@job_counter')
);

-- The jobs that have not ended, and nothing of them but what changes: the queue.
CREATE TABLE @jobs (
  key bigint PRIMARY KEY,
  sort_key text COLLATE "C" NOT NULL,
  state text NOT NULL,
  priority text NOT NULL,
  at_gate boolean NOT NULL,
  updated_at timestamptz NOT NULL, -- the time of its last entry
  last_number bigint NOT NULL,     -- of its last entry
  version bigint NOT NULL,         -- another one with each change
  rank bigint NOT NULL,            -- the claim order, which never changes by itself
  waiting int NOT NULL,            -- tasks that can be claimed, now or after their backoff
  claim_type text,                 -- of the open stage; null: no task waits
  claim_at timestamptz,            -- '-infinity': now; else the end of a backoff
  due_at timestamptz,              -- no timeout of a task ends earlier
  running_types text[],            -- of the tasks that workers have
  running_epochs bigint[],         -- of the servers whose own workers have tasks
  running_claims bigint[],         -- of those workers: the numbers of their log entries
  offered_to bigint,               -- a server that looks for tasks to claim
  offered_until timestamptz
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX jobs_claim_order ON @jobs (claim_type, rank, sort_key) WHERE claim_type IS NOT NULL;
CREATE INDEX jobs_backoff ON @jobs (claim_at) WHERE claim_at > '-infinity';
CREATE INDEX jobs_due ON @jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_pending ON @jobs (sort_key) WHERE state = 'PENDING';
CREATE INDEX jobs_begun ON @jobs (sort_key) WHERE state <> 'PENDING';

-- The history: a job's row moves here with the entry that ends it.
CREATE TABLE @ended_jobs (
  key bigint PRIMARY KEY,
  sort_key text COLLATE "C" NOT NULL,
  state text NOT NULL,
  priority text NOT NULL,
  updated_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  last_number bigint NOT NULL,
  version bigint NOT NULL,
  final_counts json NOT NULL -- what it adds to "counts"
) PARTITION BY RANGE (key);

CREATE INDEX ended_jobs_sort_key ON @ended_jobs (sort_key);
CREATE INDEX ended_jobs_not_completed ON @ended_jobs (sort_key) WHERE state <> 'COMPLETED';
CREATE INDEX ended_jobs_ended_at ON @ended_jobs USING brin (ended_at) WITH (autosummarize = on);

-- Every job, wherever its row is, to find one by its key. With a condition in one of its parts, the
-- database would not look that part up by the key.
CREATE VIEW @job_rows AS
  SELECT key, state, last_number, version FROM @jobs
  UNION ALL
  SELECT key, state, last_number, version FROM @ended_jobs;

-- The same to list many; each part has an index in the order of ids.
CREATE VIEW @job_states AS
  SELECT key, sort_key, state, priority, at_gate, updated_at, NULL::timestamptz AS ended_at,
    last_number, version FROM @jobs WHERE state = 'PENDING'
  UNION ALL
  SELECT key, sort_key, state, priority, at_gate, updated_at, NULL::timestamptz, last_number,
      version
    FROM @jobs WHERE state <> 'PENDING'
  UNION ALL
  SELECT key, sort_key, state, priority, false, updated_at, ended_at, last_number, version
    FROM @ended_jobs;

-- Jobs that were taken out, to move them to another store: no server and no reader sees them.
CREATE TABLE @moved_jobs (
  key bigint PRIMARY KEY,
  sort_key text COLLATE "C" NOT NULL UNIQUE,
  state text NOT NULL,
  ended boolean NOT NULL, -- whether its row is one of "ended_jobs"
  job_row json NOT NULL,  -- its row in "jobs" or "ended_jobs"
  counts json NOT NULL,   -- what it adds to "counts" there
  ticket text NOT NULL,   -- its copy in the other store has the same
  to_id text NOT NULL,
  to_name text NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT now(),
  moved_at timestamptz    -- null: this may be the only copy
);

-- Jobs that come from another store: what has this key in other tables belongs to no job yet.
CREATE TABLE @arriving_jobs (
  sort_key text COLLATE "C" PRIMARY KEY,
  key bigint NOT NULL
);

-- What never changes of a job.
CREATE TABLE @documents (
  key bigint PRIMARY KEY,
  id text NOT NULL,
  created_at timestamptz NOT NULL,
  document json NOT NULL, -- as submitted; its tasks are in "tasks", unless they are few and short
  plan json NOT NULL,     -- how many tasks each stage was submitted with
  parent text,
  tags text[] NOT NULL
) PARTITION BY RANGE (key);
CREATE INDEX documents_parent ON @documents (parent) WHERE parent IS NOT NULL;

-- The log: the entries of each append, as a list. "version" is that of the job after it.
CREATE TABLE @entries (
  job bigint NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  version bigint NOT NULL,
  entries json NOT NULL,
  PRIMARY KEY (job, first)
) PARTITION BY RANGE (job);

-- Jobs that a server cannot read, and why.
CREATE TABLE @unreadable_jobs (
  sort_key text COLLATE "C" PRIMARY KEY,
  id text NOT NULL,
  reason text NOT NULL
);

-- How many jobs, stages and tasks are in each group: the sum of all rows of a group counts.
CREATE TABLE @counts (
  category text NOT NULL,
  change bigint NOT NULL
);
