package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.store.postgres.internal.db.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The leases of claims that are written, as columns: no crash comes between a claim and its lease.
 * One is there already if an earlier append of the same claim, whose answer was lost, has committed
 * meanwhile; then this append finds the job changed, and is taken back.
 */
final class GrantedLeases {
  private static final String INSERT =
      "INSERT INTO @leases (job, stage, task, epoch, number, length, until)"
          + " SELECT t.job, t.stage, t.task, t.epoch, t.number, make_interval(secs => t.secs),"
          + " t.now::timestamptz + make_interval(secs => t.secs) FROM"
          + " unnest(?::text[], ?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::float8[],"
          + " ?::text[]) AS t (job, stage, task, epoch, number, secs, now)"
          + " ON CONFLICT DO NOTHING";

  private final List<String> jobs = new ArrayList<>();
  private final List<Integer> stages = new ArrayList<>();
  private final List<Integer> tasks = new ArrayList<>();
  private final List<Long> epochs = new ArrayList<>();
  private final List<Long> numbers = new ArrayList<>();
  private final List<Double> lengths = new ArrayList<>();
  private final List<String> times = new ArrayList<>();

  private GrantedLeases() {}

  static GrantedLeases of(List<JobChange> changes) {
    GrantedLeases leases = new GrantedLeases();
    for (JobChange change : changes) {
      change.entries().forEach(entry -> leases.add(change, entry));
    }
    return leases;
  }

  private void add(JobChange change, LogEntry entry) {
    if (entry.fact() instanceof Fact.TaskChanged(int stage, int task, var _, var detail)
        && detail instanceof Fact.Detail.Claimed(long epoch, var _, var lease, var _)
        && lease != null) {
      jobs.add(change.job().id().value());
      stages.add(stage);
      tasks.add(task);
      epochs.add(epoch);
      numbers.add(entry.number());
      lengths.add(seconds(lease));
      times.add(Times.text(change.now()));
    }
  }

  void addTo(StatementBuilder statement) {
    if (!stages.isEmpty()) {
      statement.with(
          "leased",
          INSERT,
          jobs.toArray(String[]::new),
          stages.toArray(Integer[]::new),
          tasks.toArray(Integer[]::new),
          epochs.toArray(Long[]::new),
          numbers.toArray(Long[]::new),
          lengths.toArray(Double[]::new),
          times.toArray(String[]::new));
    }
  }

  /** How the database gets a length of time. */
  static double seconds(Duration length) {
    return length.toNanos() / 1e9;
  }
}
