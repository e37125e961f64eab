package dev.millrace.server.joblog;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Done;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the tasks of a job did on this server. Thread-safe. */
final class JobFigures {
  private final Set<String> models = new LinkedHashSet<>();
  private boolean begun;
  private boolean beginLogged;
  private int running;
  private Instant busySince = Instant.EPOCH;
  private Duration busy = Duration.ZERO;
  private long tokens;
  private long generatedHere;

  /** A task of it was claimed; true on the first call. */
  synchronized boolean begin() {
    boolean first = !begun;
    begun = true;
    return first;
  }

  /** Whether its beginning must be logged: once, after it has begun. */
  synchronized boolean takeBegin() {
    boolean wanted = begun && !beginLogged;
    beginLogged |= wanted;
    return wanted;
  }

  synchronized void started(Instant now) {
    if (running++ == 0) {
      busySince = now;
    }
  }

  /**
   * @param outcome null if it does not count
   */
  synchronized void finished(Instant now, @Nullable TaskOutcome outcome) {
    if (--running == 0) {
      busy = busy.plus(Duration.between(busySince, now));
    }
    JsonObject receipt = outcome instanceof Done(var result) ? result.receipt() : null;
    if (receipt != null) {
      long completed = number(receipt, "completion_tokens");
      tokens += completed;
      generatedHere += completed - number(receipt, "resumed");
      if (receipt.get("model") instanceof String model) {
        models.add(model);
      }
    }
  }

  /** Receipts of workers elsewhere may have anything. */
  private static long number(JsonObject receipt, String name) {
    return receipt.get(name) instanceof Number number ? number.longValue() : 0;
  }

  synchronized boolean isRunning() {
    return running > 0;
  }

  synchronized Set<String> models() {
    return Set.copyOf(models);
  }

  /** The tokens of all results, those of earlier attempts included. */
  synchronized long tokens() {
    return tokens;
  }

  /** While at least one of its tasks ran; 0 if that is not known. */
  synchronized double tokensPerSecond() {
    double seconds = busy.toNanos() / 1e9;
    return seconds > 0 && generatedHere > 0 ? generatedHere / seconds : 0;
  }
}
