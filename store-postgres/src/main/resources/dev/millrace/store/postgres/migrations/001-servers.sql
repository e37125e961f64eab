-- minimum: 1
-- Who serves this schema. A server renews its row; what it has claimed without a lease is lost
-- when the row's time is over.
CREATE TABLE @servers (
  epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  alive_until timestamptz NOT NULL,
  serves boolean NOT NULL, -- else it is a command that ends soon
  moves text, -- "out": it moves jobs out, and no server may join while it lives; "in": into here
  ready boolean NOT NULL DEFAULT false,
  info json -- what it serves, for people
);

-- What each server has changed, one row for each commit that waits for the disk: others read it to
-- wake their watchers. The commits of a lane follow each other.
CREATE TABLE @changes (
  server bigint NOT NULL,
  lane int NOT NULL,
  number bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  jobs text[] NOT NULL,
  work_rank bigint, -- the first place in the claim order of what was enqueued; null: nothing was
  PRIMARY KEY (server, lane, number)
);

-- Unlogged: a crash of the database empties it, and so shows that commits may have been lost
-- which no flush had followed.
CREATE UNLOGGED TABLE @incarnation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id bigint NOT NULL
);
