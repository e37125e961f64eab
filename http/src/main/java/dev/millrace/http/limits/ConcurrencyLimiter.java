package dev.millrace.http.limits;

import dev.millrace.http.limits.HttpLimits.Cap;
import dev.millrace.http.route.Problem;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts what is open at once, of each caller and of all. A caller that has all it may have leaves
 * the rest to the others. Thread-safe.
 */
public final class ConcurrencyLimiter {
  private final String what;
  private final Cap cap;
  private final int retrySeconds;

  /** By caller; guarded by this, as all fields below. */
  private final Map<String, Integer> open = new HashMap<>();

  private int all;
  private long refusedToCallers;
  private long refusedToAll;

  /**
   * @param what is counted, in the plural, for messages
   * @param retrySeconds when a caller that is refused may try again
   */
  public ConcurrencyLimiter(String what, Cap cap, int retrySeconds) {
    this.what = what;
    this.cap = cap;
    this.retrySeconds = retrySeconds;
  }

  /** One of them, until it is closed. */
  public interface Slot extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * How many were refused since the start.
   *
   * @param callers because their caller had too many
   * @param all because the server had too many
   */
  public record Refused(long callers, long all) {}

  /**
   * Opens one more.
   *
   * @param caller such as {@code key "x"}; null: only the number of all counts
   * @throws Problem TOO_MANY_REQUESTS if the caller has too many, UNAVAILABLE if the server has
   */
  public synchronized Slot open(@Nullable String caller) {
    if (caller != null && open.getOrDefault(caller, 0) >= cap.perKey()) {
      refusedToCallers++;
      throw refusal(
          Problem.Kind.TOO_MANY_REQUESTS,
          "the " + caller + " has " + cap.perKey() + " " + what + ", the most of one caller");
    }
    if (all >= cap.all()) {
      refusedToAll++;
      throw refusal(
          Problem.Kind.UNAVAILABLE, "the server has " + cap.all() + " " + what + ", its most");
    }
    all++;
    if (caller != null) {
      open.merge(caller, 1, Integer::sum);
    }
    boolean[] closed = {false};
    return () -> close(caller, closed);
  }

  private Problem refusal(Problem.Kind kind, String why) {
    return new Problem(
        kind,
        null,
        why + "; end some, or try again in " + retrySeconds + " s",
        null,
        Map.of("Retry-After", Integer.toString(retrySeconds)));
  }

  private synchronized void close(@Nullable String caller, boolean[] closed) {
    if (closed[0]) {
      return;
    }
    closed[0] = true;
    all--;
    if (caller != null) {
      open.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  /** How many are open. */
  public synchronized int size() {
    return all;
  }

  public synchronized Refused refused() {
    return new Refused(refusedToCallers, refusedToAll);
  }
}
