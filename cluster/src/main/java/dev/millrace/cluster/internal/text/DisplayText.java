package dev.millrace.cluster.internal.text;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Makes short texts for logs and terminals: messages of exceptions, texts of other nodes made safe
 * to print, hashes and durations.
 */
public final class DisplayText {
  private static final int MAX_CHARACTERS = 300;

  private DisplayText() {}

  /** The message of an exception, or the name of its class if it has none. */
  public static String messageOf(Throwable e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }

  /** Cuts a long text and replaces control characters, which could steer a terminal. */
  public static String sanitized(String text) {
    String cut = text.length() > MAX_CHARACTERS ? text.substring(0, MAX_CHARACTERS) + "…" : text;
    return cut.replaceAll("[\\p{Cntrl}\\p{Cf}\\u0080-\\u009f\\u2028\\u2029]", "?");
  }

  /** The start of a UTF-8 text, {@linkplain #sanitized(String) sanitized}. */
  public static String sanitized(ByteBuffer utf8) {
    int bytes = Math.min(utf8.remaining(), 4 * (MAX_CHARACTERS + 1));
    return sanitized(StandardCharsets.UTF_8.decode(utf8.slice(utf8.position(), bytes)).toString());
  }

  /** The first twelve digits of a hash, which people compare. */
  public static String shortHash(String sha256) {
    return sha256.substring(0, Math.min(12, sha256.length()));
  }

  /** Whole seconds as {@code 5 s}, anything else as {@code 1500 ms}. */
  public static String seconds(Duration time) {
    return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
