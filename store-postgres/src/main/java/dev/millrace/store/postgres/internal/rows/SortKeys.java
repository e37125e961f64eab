package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.job.JobId;

/**
 * Ids as the tables sort them: by time, then as {@link JobId} does. A number is written behind a
 * letter that says how many digits it has, so that texts sort as numbers do.
 */
public final class SortKeys {
  private SortKeys() {}

  public static String of(JobId id) {
    StringBuilder key = new StringBuilder(80);
    add(key, id.micros());
    add(key, id.part(1));
    add(key, id.part(2));
    return key.append('_').append(id.value()).toString();
  }

  /** The id that a key was made of. */
  public static JobId id(String key) {
    return new JobId(key.substring(key.indexOf('_') + 1));
  }

  /** A key behind those of all ids of that time or an earlier one. */
  public static String after(long micros) {
    StringBuilder key = new StringBuilder();
    add(key, micros);
    return key.append('~').toString(); // behind all letters
  }

  private static void add(StringBuilder key, long number) {
    String digits = Long.toString(number);
    key.append((char) ('a' + digits.length())).append(digits);
  }
}
