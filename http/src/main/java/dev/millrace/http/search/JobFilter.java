package dev.millrace.http.search;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.http.search.IndexedJob.Labels;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a search wants; null or empty: any.
 *
 * @param text part of the name, an id, the prompt's start or a tag, in any case
 * @param from the earliest creation
 * @param until the latest creation
 */
record JobFilter(
    Set<JobState> states,
    @Nullable String type,
    @Nullable String tag,
    @Nullable String model,
    @Nullable String key,
    @Nullable Text text,
    boolean atGate,
    @Nullable Instant from,
    @Nullable Instant until) {

  boolean accepts(IndexedJob job) {
    Labels labels = job.labels();
    return (states.isEmpty() || states.contains(job.state()))
        && (!atGate || job.gate() > 0)
        && (type == null || labels.types().contains(type))
        && (tag == null || labels.tags().contains(tag))
        && (model == null || labels.models().contains(model))
        && (key == null || key.equals(labels.submittedBy()))
        && (from == null || job.created() >= from.toEpochMilli())
        && (until == null || job.created() <= until.toEpochMilli())
        && (text == null || text.isIn(job));
  }

  /** A text to find, in any case. */
  static final class Text {
    /** Only such a text can be part of a UUID; fewer characters are part of too many. */
    private static final Pattern UUID_PART = Pattern.compile("[0-9a-fA-F-]{4,36}");

    private final String wanted;
    private final char lower;
    private final char upper;
    private final boolean mayBeId;

    Text(String wanted) {
      this.wanted = wanted;
      this.lower = Character.toLowerCase(wanted.charAt(0));
      this.upper = Character.toUpperCase(wanted.charAt(0));
      this.mayBeId = UUID_PART.matcher(wanted).matches();
    }

    boolean isIn(IndexedJob job) {
      return isIn(job.name())
          || isIn(job.excerpt())
          || job.labels().tags().stream().anyMatch(this::isIn)
          || isIn(job.id().value())
          || mayBeId && isIn(uuid(job.id()));
    }

    @Override
    public String toString() {
      return wanted;
    }

    private static String uuid(JobId id) {
      return EntityId.of(id).uuid().toString();
    }

    /** Looks for the first character, which the JVM does fast, and compares the rest there. */
    boolean isIn(@Nullable String in) {
      if (in == null) {
        return false;
      }
      return isAt(in, lower) || upper != lower && isAt(in, upper);
    }

    private boolean isAt(String in, char first) {
      int last = in.length() - wanted.length();
      for (int at = in.indexOf(first); at >= 0 && at <= last; at = in.indexOf(first, at + 1)) {
        if (in.regionMatches(true, at, wanted, 0, wanted.length())) {
          return true;
        }
      }
      return false;
    }
  }
}
