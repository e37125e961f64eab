package dev.millrace.core.task;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A position in a trace, as W3C Trace Context defines it. It goes with a job, its stages and its
 * tasks to their workers.
 *
 * @param parent the {@code traceparent}: version, trace, span and flags in hex, joined by '-'
 * @param state the {@code tracestate}
 */
public record TraceContext(String parent, @Nullable String state) {

  /** The longest {@code tracestate} that is kept. */
  public static final int MAX_STATE = 512;

  private static final Pattern PARENT =
      Pattern.compile("[\\da-f]{2}-[\\da-f]{32}-[\\da-f]{16}-[\\da-f]{2}");

  public TraceContext {
    if (!isParent(parent)) {
      throw new IllegalArgumentException(
          "traceparent must be 2, 32, 16 and 2 hex digits (0-9, a-f) joined by '-'");
    }
    if (state != null
        && (state.length() > MAX_STATE || !state.chars().allMatch(c -> c >= 32 && c < 127))) {
      throw new IllegalArgumentException(
          "tracestate must be at most " + MAX_STATE + " printable ASCII characters");
    }
  }

  public static boolean isParent(String text) {
    return PARENT.matcher(text).matches();
  }
}
