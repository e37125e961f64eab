-- minimum: 1
CREATE TABLE @jobs (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sort_key text COLLATE "C" NOT NULL UNIQUE, -- the id in a form that sorts by time
  id text NOT NULL,
  created_at timestamptz NOT NULL,
  document json NOT NULL, -- as submitted, without tasks
  plan json NOT NULL,     -- how many tasks each stage was submitted with
  parent text,
  tags text[] NOT NULL,
  state text NOT NULL,
  priority text NOT NULL,
  at_gate boolean NOT NULL,
  updated_at timestamptz NOT NULL, -- the time of its last entry
  ended_at timestamptz,
  last_number bigint NOT NULL, -- of its last entry
  version bigint NOT NULL,     -- another one with each change
  rank bigint NOT NULL,        -- the claim order, which never changes by itself
  claim_type text,             -- of the open stage; null: no task waits
  claim_at timestamptz,        -- '-infinity': now; else the end of a backoff
  due_at timestamptz,          -- no timeout of a task ends earlier
  running_types text[],        -- of the tasks that workers have
  running_epochs bigint[],     -- of the servers whose own workers have tasks
  final_counts json,           -- what an ended job adds to "counts"
  unreadable text,             -- why a server cannot read it
  offered_to bigint,           -- a server that looks for tasks to claim
  offered_until timestamptz
) WITH (fillfactor = 80);

CREATE INDEX jobs_claim_order ON @jobs (claim_type, rank, sort_key) WHERE claim_type IS NOT NULL;
CREATE INDEX jobs_backoff ON @jobs (claim_at) WHERE claim_at > '-infinity';
CREATE INDEX jobs_due ON @jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX jobs_running ON @jobs (key) WHERE running_types IS NOT NULL;
CREATE INDEX jobs_unreadable ON @jobs (key) WHERE unreadable IS NOT NULL;
CREATE INDEX jobs_ended ON @jobs (ended_at) WHERE ended_at IS NOT NULL;

-- The log. "version" is that of the job after the append that wrote the entry.
CREATE TABLE @entries (
  job bigint NOT NULL,
  number bigint NOT NULL,
  version bigint NOT NULL,
  entry json NOT NULL,
  PRIMARY KEY (job, number)
);

-- How many jobs, stages and tasks are in each group: the sum of all rows of a group counts.
CREATE TABLE @counts (
  category text NOT NULL,
  change bigint NOT NULL
);
