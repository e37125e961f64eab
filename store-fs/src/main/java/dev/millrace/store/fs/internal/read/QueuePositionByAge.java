package dev.millrace.store.fs.internal.read;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader.QueuePosition;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Estimates the queue position for a process that does not own the workspace: by age alone, because
 * only the owner knows the claim order. Counts as many names as it can in a short time.
 */
final class QueuePositionByAge {
  private static final Duration LISTING = Duration.ofMillis(250);
  private static final int SLICE = 1_024;

  private QueuePositionByAge() {}

  static Optional<QueuePosition> position(
      Disk disk, WorkspaceLayout layout, JobId id, Threading threading) throws IOException {
    if (layout.lookUp(disk, id).orElse(null) != JobState.PENDING) {
      return Optional.empty();
    }
    long end = threading.nanoTime() + LISTING.toNanos();
    int[] ahead = {0};
    int[] others = {0};
    disk.list(
        layout.of(JobState.PENDING),
        name -> {
          JobId other = JobId.parse(name).orElse(id);
          ahead[0] += other.compareTo(id) < 0 ? 1 : 0;
          others[0] += other.equals(id) ? 0 : 1;
          return (others[0] % SLICE) != 0 || threading.nanoTime() < end;
        });
    return Optional.of(new QueuePosition(ahead[0], others[0] + 1, null));
  }
}
