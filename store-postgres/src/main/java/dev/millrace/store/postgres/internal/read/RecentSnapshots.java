package dev.millrace.store.postgres.internal.read;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.time.LogTimes;
import dev.millrace.store.postgres.internal.rows.EntryRows.Append;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.JobRows.LogEnd;
import dev.millrace.store.postgres.internal.rows.JobTables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Jobs as they were read lately: someone who follows a job asks for it repeatedly. Of a job that has
 * grown, only the new entries are read. Bounded by number and by memory. Thread-safe.
 */
final class RecentSnapshots {
  private static final int MOST = 200;
  private static final long MOST_BYTES = 64_000_000;
  private static final long MOST_NEW_ENTRIES = 10_000;

  private final JobTables rows;
  private final Map<JobId, JobSnapshot> recent = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes; // guarded by the map

  RecentSnapshots(JobTables rows) {
    this.rows = rows;
  }

  /** The job as it is now. */
  Optional<JobSnapshot> find(JobId id) {
    JobSnapshot last = get(id);
    if (last != null) {
      LogEnd now = rows.jobs().logEnd(id).orElse(null);
      JobSnapshot grown = now == null ? null : grown(last, now);
      if (grown != null) {
        put(id, grown);
        return Optional.of(grown);
      }
    }
    Optional<JobSnapshot> read = rows.jobs().find(id).map(this::read);
    read.ifPresentOrElse(snapshot -> put(id, snapshot), () -> remove(id));
    return read;
  }

  private JobSnapshot read(JobRow row) {
    JobFold fold = JobFold.created(row.plan(), TransitionListener.IGNORED, LogTimes.AS_LOGGED);
    rows.entries().forEach(row, fold::apply);
    return new JobSnapshot(row, fold, row.version());
  }

  /** The snapshot with what was appended since; null if the job has to be read whole. */
  private @Nullable JobSnapshot grown(JobSnapshot last, LogEnd now) {
    if (now.key() != last.row().key()) {
      return null;
    }
    if (now.version() == last.version()) {
      return last;
    }
    long known = last.fold().lastNumber();
    if (now.lastNumber() <= known || now.lastNumber() - known > MOST_NEW_ENTRIES) {
      return null;
    }
    List<Append> more = rows.entries().appends(now.key(), known, now.lastNumber());
    if (more.isEmpty()
        || more.getFirst().last() != known
        || more.getFirst().version() != last.version()) {
      return null; // a crash of the database has taken what was read
    }
    JobFold fold = last.fold().copy(TransitionListener.IGNORED);
    more.stream().skip(1).forEach(append -> append.entries().forEach(fold::apply));
    return fold.lastNumber() == now.lastNumber()
        ? new JobSnapshot(last.row(), fold, now.version())
        : null;
  }

  private @Nullable JobSnapshot get(JobId id) {
    synchronized (recent) {
      return recent.get(id);
    }
  }

  private void put(JobId id, JobSnapshot snapshot) {
    synchronized (recent) {
      remove(id);
      recent.put(id, snapshot);
      bytes += snapshot.fold().size();
      while (recent.size() > 1 && (recent.size() > MOST || bytes > MOST_BYTES)) {
        remove(recent.keySet().iterator().next());
      }
    }
  }

  private void remove(JobId id) {
    synchronized (recent) {
      JobSnapshot gone = recent.remove(id);
      bytes -= gone == null ? 0 : gone.fold().size();
    }
  }
}
