package dev.millrace.core.task;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
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

  private static final Pattern NO_TRACE = Pattern.compile(".{3}(0{32}-.*|.{32}-0{16}-..)");

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

  /**
   * Starts a trace with random ids. It is flagged as sampled: usual samplers obey their parent, so
   * that "not sampled" would keep workers from recording anything.
   */
  public static TraceContext start() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return sampled(random.nextLong(), random.nextLong(), random.nextLong());
  }

  /** The trace of something that came without one: always the same for the same id. */
  public static TraceContext derivedFrom(String id) {
    ByteBuffer hash = ByteBuffer.wrap(sha256(id));
    return sampled(hash.getLong(), hash.getLong(), hash.getLong());
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }

  /** An id of zeros would be invalid. */
  private static TraceContext sampled(long high, long low, long span) {
    String trace = hex(high) + hex(low == 0 ? 1 : low);
    return new TraceContext("00-" + trace + "-" + hex(span == 0 ? 1 : span) + "-01", null);
  }

  private static String hex(long value) {
    return HexFormat.of().toHexDigits(value);
  }

  public static boolean isParent(String text) {
    return PARENT.matcher(text).matches();
  }

  /** Whether it names a trace and a span; ids of zeros name none. */
  public boolean isStarted() {
    return !NO_TRACE.matcher(parent).matches();
  }
}
