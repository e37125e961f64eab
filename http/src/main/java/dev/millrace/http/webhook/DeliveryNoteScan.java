package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A walk through all notes, and when the next one is due: at the start for what an earlier run left,
 * and later for what did not fit into the agenda. It waits while the agenda is full, but not for
 * ever: others than those who fill it may be further on. One thread's at a time.
 */
final class DeliveryNoteScan {
  private static final Duration FIRST_GAP = Duration.ofSeconds(10);
  private static final Duration LONGEST_GAP = Duration.ofMinutes(2);

  /** How long those who fill the agenda are waited for. */
  private static final Duration STALL = Duration.ofSeconds(10);

  private final ArrayDeque<JobId> left = new ArrayDeque<>();
  private @Nullable Instant wanted = Instant.EPOCH;
  private Instant allowed = Instant.EPOCH;
  private Duration gap = FIRST_GAP; // grows while there is more than fits
  private @Nullable Instant stalled;

  /** There is something to find by then. */
  void schedule(Instant at) {
    if (wanted == null || at.isBefore(wanted)) {
      wanted = at;
    }
  }

  /**
   * Starts a walk if one is due.
   *
   * @param again whether it is for what did not fit
   */
  boolean start(Instant now, boolean again, Supplier<Collection<JobId>> notes) {
    if (!left.isEmpty() || wanted == null || due(wanted).isAfter(now)) {
      return false;
    }
    Duration longer = gap.multipliedBy(2);
    gap = !again ? FIRST_GAP : longer.compareTo(LONGEST_GAP) < 0 ? longer : LONGEST_GAP;
    allowed = now.plus(gap);
    left.addAll(notes.get());
    wanted = null;
    return true;
  }

  private Instant due(Instant at) {
    return at.isBefore(allowed) ? allowed : at;
  }

  /** Takes note of how full the agenda is. */
  void queueCrowded(boolean full, Instant now) {
    if (!full) {
      stalled = null;
    } else if (stalled == null) {
      stalled = now;
    }
  }

  /** Whether to go on now. */
  boolean shouldContinue(Instant now) {
    return !left.isEmpty() && (stalled == null || !stalled.plus(STALL).isAfter(now));
  }

  JobId next() {
    return left.removeFirst();
  }

  /** When it would start or go on by itself. */
  Optional<Instant> nextTime() {
    if (!left.isEmpty()) {
      return Optional.ofNullable(stalled).map(at -> at.plus(STALL));
    }
    return Optional.ofNullable(wanted).map(this::due);
  }
}
