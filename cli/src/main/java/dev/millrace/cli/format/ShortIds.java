package dev.millrace.cli.format;

import dev.millrace.core.job.JobId;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Short forms of ids for a list: the last digits of the time in each, as many as no other listed id
 * contains. They are a part of the id, so that a search in a workspace's directories finds them,
 * too.
 */
public final class ShortIds {
  /** Tried one after the other; then the whole id. At most 18 digits fit into a long. */
  private static final int[] LENGTHS = {8, 12, 16};

  private final Map<JobId, String> shortened = new HashMap<>();

  public ShortIds(Collection<JobId> listed) {
    Set<JobId> left = new HashSet<>(listed);
    for (int length : LENGTHS) {
      if (!left.isEmpty()) {
        long[] windows = windows(listed, length);
        left.removeIf(id -> shorten(id, length, windows));
      }
    }
  }

  /** The short form of a listed id. */
  public String of(JobId id) {
    return shortened.getOrDefault(id, id.value());
  }

  private boolean shorten(JobId id, int length, long[] windows) {
    String time = id.value().substring(0, (id.value() + "_").indexOf('_'));
    if (time.length() <= length) {
      return false;
    }
    String last = time.substring(time.length() - length);
    if (count(windows, Long.parseLong(last)) > 1) {
      return false;
    }
    shortened.put(id, last);
    return true;
  }

  /** All runs of that many digits in the ids, sorted; a run is a number, because digits are. */
  private static long[] windows(Collection<JobId> ids, int length) {
    long[] found = new long[ids.stream().mapToInt(id -> id.value().length()).sum()];
    int count = 0;
    for (JobId id : ids) {
      String value = id.value();
      int digits = 0;
      for (int i = 0; i < value.length(); i++) {
        digits = value.charAt(i) == '_' ? 0 : digits + 1;
        if (digits >= length) {
          found[count++] = Long.parseLong(value, i + 1 - length, i + 1, 10);
        }
      }
    }
    long[] sorted = Arrays.copyOf(found, count);
    Arrays.sort(sorted);
    return sorted;
  }

  private static int count(long[] sorted, long number) {
    int at = Arrays.binarySearch(sorted, number);
    int from = at;
    int to = at;
    while (from > 0 && sorted[from - 1] == number) {
      from--;
    }
    while (to < sorted.length - 1 && sorted[to + 1] == number) {
      to++;
    }
    return to - from + 1;
  }
}
