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
import org.jspecify.annotations.Nullable;

/**
 * Finds the state directory of a job that may be moving. The owner knows when jobs move against the
 * direction of a pass, so that one pass without such a move finds every job. For other processes a
 * job is missing only after two passes between which no state directory changed, which takes long
 * while other jobs move.
 */
public final class JobLocator {

  /** The resolution of directory times may be this coarse: a change within it would not show. */
  private static final Duration GRAIN = Duration.ofMillis(20);

  private static final Duration PAUSE = Duration.ofMillis(2);
  private static final int ATTEMPTS = 1_000;

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final Threading threading;
  private final @Nullable BackwardMoves moves;

  private JobLocator(
      Disk disk, WorkspaceLayout layout, Threading threading, @Nullable BackwardMoves moves) {
    this.disk = disk;
    this.layout = layout;
    this.threading = threading;
    this.moves = moves;
  }

  /** For a process that does not own the workspace. */
  public static JobLocator ofOthers(Disk disk, WorkspaceLayout layout, Threading threading) {
    return new JobLocator(disk, layout, threading, null);
  }

  /**
   * @param moves all renames of jobs by the owner that go backward
   */
  public static JobLocator ofOwner(
      Disk disk, WorkspaceLayout layout, Threading threading, BackwardMoves moves) {
    return new JobLocator(disk, layout, threading, moves);
  }

  public Optional<JobState> find(JobId id) throws IOException {
    return moves == null ? findUnsettled(id) : find(id, moves);
  }

  private Optional<JobState> find(JobId id, BackwardMoves backward) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long before = backward.ended();
      Optional<JobState> found = layout.lookUp(disk, id);
      if (found.isPresent() || backward.noneSince(before)) {
        return found;
      }
      pause();
    }
    return Optional.empty();
  }

  private Optional<JobState> findUnsettled(JobId id) throws IOException {
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
