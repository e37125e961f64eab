package dev.millrace.core.job;

import java.util.Comparator;
import java.util.Optional;

/**
 * A job's id: time, process and counter joined by {@code _}. The time has 20 digits of
 * microseconds, so that ids sort by time as text; the short form with seconds is accepted too and
 * sorts by its time.
 */
public record JobId(String value) implements Comparable<JobId> {

  /** The longest id that is accepted. */
  public static final int MAX_LENGTH = 128;

  /** A first part below this is in seconds (until the year 33658), else in microseconds. */
  private static final long SECONDS_BELOW = 1_000_000_000_000L;

  private static final Comparator<JobId> ORDER =
      Comparator.comparingLong(JobId::micros)
          .thenComparingLong(id -> id.part(1))
          .thenComparingLong(id -> id.part(2))
          .thenComparing(JobId::value);

  public JobId {
    if (!isValid(value)) {
      throw new IllegalArgumentException(
          "invalid job id "
              + quoted(value)
              + ": digits joined by single underscores, at most "
              + MAX_LENGTH
              + " characters");
    }
  }

  /** The id, or empty if {@code text} does not follow the grammar. Never throws. */
  public static Optional<JobId> parse(String text) {
    return isValid(text) ? Optional.of(new JobId(text)) : Optional.empty();
  }

  /** Digits and single underscores, not at the start or the end; 1 to 128 characters. */
  public static boolean isValid(String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      return false;
    }
    boolean digitBefore = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean digit = c >= '0' && c <= '9';
      if (!digit && (c != '_' || !digitBefore)) {
        return false;
      }
      digitBefore = digit;
    }
    return digitBefore;
  }

  /** The id of that time, process and counter, in the form that sorts as text. */
  public static JobId of(long micros, long process, int counter) {
    String time = Long.toString(micros);
    String count = Integer.toString(counter);
    StringBuilder id = new StringBuilder(40);
    id.repeat('0', Math.max(0, 20 - time.length()))
        .append(time)
        .append('_')
        .append(process)
        .append('_')
        .repeat('0', Math.max(0, 6 - count.length()))
        .append(count);
    return new JobId(id.toString());
  }

  /** The time in the id, in microseconds since the epoch. */
  public long micros() {
    long time = part(0);
    return time < SECONDS_BELOW ? time * 1_000_000L : time;
  }

  /** The n-th number of the id; 0 if there are fewer, and the largest long if it does not fit. */
  public long part(int n) {
    int from = 0;
    for (int i = 0; i < n; i++) {
      from = value.indexOf('_', from) + 1;
      if (from == 0) {
        return 0;
      }
    }
    long number = 0;
    for (int i = from; i < value.length() && value.charAt(i) != '_'; i++) {
      int digit = value.charAt(i) - '0';
      if (number > (Long.MAX_VALUE - digit) / 10) {
        return Long.MAX_VALUE;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  @Override
  public int compareTo(JobId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return value;
  }

  private static String quoted(String text) {
    return '"'
        + (text.length() > 60 ? text.substring(0, 60) + "…" : text).replace("\n", "\\n")
        + '"';
  }
}
