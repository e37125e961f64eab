package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The limits on what users and workers add to a job's log. They refuse additions and notes, or cut
 * texts, but never refuse a transition: a job that is full can still run, be paused and end. A log
 * that was written without them is read as it is.
 */
public final class LogLimits {
  /** The most bytes of new metadata, or of an added stage without its tasks, as JSON. */
  public static final int MAX_ENTRY_BYTES = 2_000_000;

  /** The most bytes of all new metadata and added stages of a job. */
  public static final long MAX_ADDED_BYTES = 64_000_000;

  /** How often a job may be added to, described and given another priority. */
  public static final int MAX_ADDITIONS = 1_000_000;

  /** The most characters of a line of a worker's log; the rest is cut off. */
  public static final int MAX_LINE = 10_000;

  /** After so many bytes of worker log, further lines of a task are dropped. */
  public static final int MAX_TASK_LOG_BYTES = 1_000_000;

  /** After so many bytes of worker log, further lines of a job are dropped. */
  public static final long MAX_JOB_LOG_BYTES = 100_000_000;

  /** The most characters of a failure's message or a release's reason; the rest is cut off. */
  public static final int MAX_ERROR = 4_000;

  /** The most characters of a lever's comment; that of a pause, resume or abort is cut. */
  public static final int MAX_COMMENT = 10_000;

  /** The most characters of the name of who pulls a lever, which is cut, and of a request's id. */
  public static final int MAX_NAME = 200;

  private LogLimits() {}

  /** Refuses a cause that no entry may have. */
  public static void requireCause(Cause cause) {
    require("comment", cause.comment(), MAX_COMMENT);
    require("op", cause.op(), MAX_NAME);
  }

  /**
   * A cause that fits into an entry: a name that is too long is cut, as the system may have made it.
   *
   * @param transition whether it is for a pause or the like, which no comment may keep from
   *     happening; if not, a comment that is too long is refused
   */
  public static Cause fit(Cause cause, boolean transition) {
    Cause cut =
        new Cause(
            cause.by(),
            cutTo(cause.who(), MAX_NAME),
            transition ? cutTo(cause.comment(), MAX_COMMENT) : cause.comment(),
            cause.op());
    require("comment", transition ? null : cut.comment(), MAX_COMMENT);
    require("op", cut.op(), MAX_NAME);
    return cut;
  }

  private static @Nullable String cutTo(@Nullable String text, int most) {
    return text == null ? null : cut(text, most);
  }

  private static void require(String name, @Nullable String text, int most) {
    if (text != null && text.length() > most) {
      throw new IllegalArgumentException(
          name + " too long: " + text.length() + " characters, at most " + most);
    }
  }

  /**
   * Whether the job can take another addition or note: done, or the reason why not.
   *
   * @param more the bytes of its value
   */
  static Outcome allows(LogUsage usage, String what, long more) {
    if (more > MAX_ENTRY_BYTES) {
      return tooLarge(what + " has " + more + " bytes of JSON, at most " + MAX_ENTRY_BYTES);
    }
    if (usage.bytes() + more > MAX_ADDED_BYTES) {
      return tooLarge(
          "a job takes at most "
              + MAX_ADDED_BYTES
              + " bytes of new metadata and added stages; it has "
              + usage.bytes()
              + ", and "
              + what
              + " has "
              + more);
    }
    return allowsAddition(usage);
  }

  static Outcome allowsAddition(LogUsage usage) {
    return usage.additions() < MAX_ADDITIONS
        ? Outcome.DONE
        : tooLarge(
            "a job is added to, described and given another priority at most "
                + MAX_ADDITIONS
                + " times");
  }

  private static Outcome tooLarge(String message) {
    return new Outcome.Refused(Reason.TOO_LARGE, message);
  }

  /** How many bytes a value has as JSON. */
  static long bytes(@Nullable Object value) {
    return bytes(Json.write(value));
  }

  static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** A message that fits into an entry. */
  static String cutError(String message) {
    return cut(message, MAX_ERROR);
  }

  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end) + "… (" + (text.length() - end) + " more characters)";
  }
}
