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
    for (int attempt = 0; found.isEmpty() && attempt < ATTEMPTS; attempt++) {
      List<Instant> before = times();
      Instant settled = Instant.now().minus(GRAIN);
      found = layout.lookUp(disk, id);
      if (found.isEmpty()) {
        found = layout.lookUp(disk, id);
      }
      if (found.isEmpty()
          && times().equals(before)
          && before.stream().noneMatch(time -> time.isAfter(settled))) {
        return Optional.empty();
      }
      if (found.isEmpty()) {
        pause();
      }
    }
    return found;
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
