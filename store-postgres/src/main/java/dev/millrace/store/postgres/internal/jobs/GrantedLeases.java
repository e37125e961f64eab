package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The leases of claims that are written, as columns: no crash comes between a claim and its lease. */
final class GrantedLeases {
  private static final String INSERT =
      "INSERT INTO @leases (job, stage, task, epoch, number, length, until)"
          + " SELECT ?, t.stage, t.task, t.epoch, t.number, make_interval(secs => t.secs),"
          + " ?::timestamptz + make_interval(secs => t.secs) FROM changed,"
          + " unnest(?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::float8[])"
          + " AS t (stage, task, epoch, number, secs)";

  private final List<Integer> stages = new ArrayList<>();
  private final List<Integer> tasks = new ArrayList<>();
  private final List<Long> epochs = new ArrayList<>();
  private final List<Long> numbers = new ArrayList<>();
  private final List<Double> lengths = new ArrayList<>();

  private GrantedLeases() {}

  static GrantedLeases of(List<LogEntry> entries) {
    GrantedLeases leases = new GrantedLeases();
    for (LogEntry entry : entries) {
      if (entry.fact() instanceof Fact.TaskChanged(int stage, int task, var _, var detail)
          && detail instanceof Fact.Detail.Claimed(long epoch, var _, var lease, var _)
          && lease != null) {
        leases.stages.add(stage);
        leases.tasks.add(task);
        leases.epochs.add(epoch);
        leases.numbers.add(entry.number());
        leases.lengths.add(seconds(lease));
      }
    }
    return leases;
  }

  void addTo(StatementBuilder statement, JobId job, Instant now) {
    if (!stages.isEmpty()) {
      statement.with(
          "leased",
          INSERT,
          job.value(),
          now,
          stages.toArray(Integer[]::new),
          tasks.toArray(Integer[]::new),
          epochs.toArray(Long[]::new),
          numbers.toArray(Long[]::new),
          lengths.toArray(Double[]::new));
    }
  }

  /** How the database gets a length of time. */
  static double seconds(Duration length) {
    return length.toNanos() / 1e9;
  }
}
