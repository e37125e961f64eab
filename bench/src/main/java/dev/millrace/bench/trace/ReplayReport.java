package dev.millrace.bench.trace;

import dev.millrace.bench.trace.RequestTrace.Arrival;
import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a replayed trace, from the workspace.
 *
 * @param nanos from the first submission to the last result
 * @param maxSubmitDelay the longest delay of a submission
 */
public record ReplayReport(
    List<ReplayedJob> outcomes, List<Depth> depths, long nanos, Duration maxSubmitDelay) {

  /** A sample of the queue: waiting and claimed jobs. */
  public record Depth(long atNanos, long waiting, int running) {}

  /** The outcome of a request. */
  public record ReplayedJob(
      JobId id,
      Priority priority,
      Arrival asked,
      Flow.Status status,
      @Nullable JobView view,
      @Nullable JsonObject receipt) {

    /** Whether the result is on disk with the requested number of tokens. */
    boolean isComplete() {
      return status == Flow.Status.DONE
          && receipt != null
          && receipt.integer("completion_tokens", -1) == asked.output()
          && receipt.integer("prompt_tokens", -1) == asked.prompt();
    }

    private JobView seen() {
      return Objects.requireNonNull(view);
    }

    private Instant createdAt() {
      return seen().createdAt();
    }

    private Instant startedAt() {
      return Objects.requireNonNull(seen().startedAt());
    }

    private long place() {
      return priority.queueRank(createdAt());
    }

    /** From the submission over the claim to a slot of the engine. */
    long queuedNanos() {
      double inEngine = Objects.requireNonNull(receipt).object("timings").number("wait_ms", 0);
      return Duration.between(createdAt(), startedAt()).toNanos() + Math.round(inEngine * 1e6);
    }
  }

  /** The tolerance: a claim sees a new job within this time, and is on disk after it. */
  private static final Duration SIGHT = Duration.ofMillis(500);

  /** Requests without a complete result. */
  public List<ReplayedJob> lost() {
    return outcomes.stream().filter(outcome -> !outcome.isComplete()).toList();
  }

  private List<ReplayedJob> whole() {
    return outcomes.stream().filter(ReplayedJob::isComplete).toList();
  }

  /**
   * Requests that waited while a later job in the queue was claimed. A job that is never overtaken
   * cannot starve: only jobs before it delay it, and its age moves it forward.
   */
  public List<ReplayedJob> overtaken() {
    List<ReplayedJob> byPlace =
        whole().stream().sorted(Comparator.comparingLong(ReplayedJob::place)).toList();
    return byPlace.stream()
        .filter(ahead -> byPlace.stream().anyMatch(behind -> overtakes(behind, ahead)))
        .toList();
  }

  private static boolean overtakes(ReplayedJob behind, ReplayedJob ahead) {
    return behind.place() > ahead.place()
        && behind.startedAt().isBefore(ahead.startedAt().minus(SIGHT))
        && behind.startedAt().isAfter(ahead.createdAt().plus(SIGHT));
  }

  /** How long the jobs of a priority waited, in nanoseconds. */
  public long[] queued(Priority priority) {
    return whole().stream()
        .filter(outcome -> outcome.priority == priority)
        .mapToLong(ReplayedJob::queuedNanos)
        .toArray();
  }

  /** The share of {@code slots} that was used while jobs waited. */
  public double utilization(int slots) {
    return depths.stream()
        .filter(depth -> depth.waiting > 0)
        .mapToDouble(depth -> (double) depth.running / slots)
        .average()
        .orElse(1);
  }

  public double jobsPerSecond() {
    return whole().size() * 1e9 / nanos;
  }

  /** Prompt and output tokens per second. */
  public double tokensPerSecond() {
    return whole().stream().mapToLong(outcome -> outcome.asked.total()).sum() * 1e9 / nanos;
  }
}
