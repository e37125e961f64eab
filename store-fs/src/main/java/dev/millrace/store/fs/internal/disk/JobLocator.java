package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the state directory of a job that may be moving. A job is missing only after two passes
 * between which no state directory changed, so a job that moves against the direction of a pass is
 * not overlooked.
 */
public final class JobLocator {

  /** The resolution of directory times may be this coarse: a change within it would not show. */
  private static final Duration GRAIN = Duration.ofMillis(20);

  private static final Duration PAUSE = Duration.ofMillis(2);
  private static final int ATTEMPTS = 1_000;

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final Threading threading;

  public JobLocator(Disk disk, WorkspaceLayout layout, Threading threading) {
    this.disk = disk;
    this.layout = layout;
    this.threading = threading;
  }

  public Optional<JobState> find(JobId id) throws IOException {
    Optional<JobState> found = layout.lookUp(disk, id);
    List<Instant> seen = List.of();
    long since = 0;
    for (int attempt = 0; found.isEmpty() && attempt < ATTEMPTS; attempt++) {
      List<Instant> before = times();
      if (!before.equals(seen)) {
        seen = before;
        since = threading.nanoTime();
      }
      boolean settled = isSettled(before, threading.nanoTime() - since);
      found = layout.lookUp(disk, id);
      if (found.isEmpty()) {
        found = layout.lookUp(disk, id);
      }
      if (found.isEmpty() && settled && times().equals(before)) {
        return Optional.empty();
      }
      if (found.isEmpty()) {
        pause();
      }
    }
    return found;
  }

  /**
   * Whether a change since would show in these times. One that is still to come, because the clock
   * was set back, tells nothing by itself, and must have stayed for a while.
   */
  private static boolean isSettled(List<Instant> times, long unchangedNanos) {
    Instant now = Instant.now();
    boolean stayed = unchangedNanos > GRAIN.toNanos();
    return times.stream()
        .allMatch(time -> !time.isAfter(now.minus(GRAIN)) || time.isAfter(now) && stayed);
  }

  private List<Instant> times() throws IOException {
    List<Instant> times = new ArrayList<>();
    for (JobState state : WorkspaceLayout.ORDER) {
      times.add(disk.modified(layout.of(state)));
    }
    return times;
  }

  private void pause() {
    try {
      threading.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      Thread.onSpinWait();
    }
  }
}
