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
 * A scan of all notes in the store, and when the next scan is due: at the start, for what an
 * earlier run left, and later, for what did not fit into the {@link DeliveryQueue}. It pauses while
 * the queue is full, but not forever, because notes further on may be for other receivers. Not
 * thread-safe.
 */
final class DeliveryNoteScan {
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(10);
  private static final Duration MAX_INTERVAL = Duration.ofMinutes(2);

  /** The longest pause for a full queue. */
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

  private final ArrayDeque<JobId> remaining = new ArrayDeque<>();
  private @Nullable Instant requested = Instant.EPOCH;
  private Instant allowed = Instant.EPOCH;
  private Duration interval = MIN_INTERVAL; // grows while the queue overflows
  private @Nullable Instant pausedSince;

  /** Requests a scan at that time. */
  void schedule(Instant at) {
    if (requested == null || at.isBefore(requested)) {
      requested = at;
    }
  }

  /**
   * Starts a scan if one is due.
   *
   * @param again whether the queue overflowed since the last scan
   */
  boolean start(Instant now, boolean again, Supplier<Collection<JobId>> notes) {
    if (!remaining.isEmpty() || requested == null || due(requested).isAfter(now)) {
      return false;
    }
    Duration doubled = interval.multipliedBy(2);
    interval = !again ? MIN_INTERVAL : doubled.compareTo(MAX_INTERVAL) < 0 ? doubled : MAX_INTERVAL;
    allowed = now.plus(interval);
    remaining.addAll(notes.get());
    requested = null;
    return true;
  }

  private Instant due(Instant at) {
    return at.isBefore(allowed) ? allowed : at;
  }

  /** Reports whether the queue is full. */
  void queueCrowded(boolean full, Instant now) {
    if (!full) {
      pausedSince = null;
    } else if (pausedSince == null) {
      pausedSince = now;
    }
  }

  /** Whether to look at the next note now. */
  boolean shouldContinue(Instant now) {
    return !remaining.isEmpty()
        && (pausedSince == null || !pausedSince.plus(MAX_PAUSE).isAfter(now));
  }

  JobId next() {
    return remaining.removeFirst();
  }

  /** When the scan starts or continues without a further event. */
  Optional<Instant> nextTime() {
    if (!remaining.isEmpty()) {
      return Optional.ofNullable(pausedSince).map(at -> at.plus(MAX_PAUSE));
    }
    return Optional.ofNullable(requested).map(this::due);
  }
}
