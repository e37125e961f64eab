-- minimum: 1
-- Which server does what only one of them should do, such as calling webhooks. Each that can do it
-- tries to get the lease, and renews it while it has it.
CREATE TABLE @leader_leases (
  duty text PRIMARY KEY,
  server bigint NOT NULL, -- its epoch; if that server is gone, the lease is over
  until timestamptz NOT NULL
);

-- Short commands leave rows, too: a renewal looks at those of servers only.
CREATE INDEX servers_serving ON @servers (epoch) WHERE serves;
