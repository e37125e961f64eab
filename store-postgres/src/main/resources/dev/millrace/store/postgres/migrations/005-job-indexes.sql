-- minimum: 1
-- The first job of each type and priority, whatever waits before it in the claim order.
CREATE INDEX jobs_oldest ON @jobs (claim_type, priority, rank, sort_key)
  WHERE claim_type IS NOT NULL;

-- The jobs of which servers have tasks: of a million that have begun, most may wait.
CREATE INDEX jobs_running ON @jobs (key) WHERE running_epochs IS NOT NULL;
