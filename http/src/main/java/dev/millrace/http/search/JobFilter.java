package dev.millrace.http.search;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.http.search.IndexedJob.Labels;
import java.time.Instant;
import java.util.List;
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
    private static final Pattern ID_PART = Pattern.compile("[0-9_]+");

    /** Only such a text is looked for in UUIDs: they are made of the ids, one by one. */
    private static final Pattern UUID_PART = Pattern.compile("[0-9a-f-]{8,36}");

    private final String folded;
    private final boolean mayBeId;
    private final boolean mayBeUuid;

    Text(String wanted) {
      this.folded = IndexedJob.fold(List.of(wanted));
      this.mayBeId = ID_PART.matcher(folded).matches();
      this.mayBeUuid = UUID_PART.matcher(folded).matches();
    }

    boolean isIn(IndexedJob job) {
      return job.folded().contains(folded)
          || job.labels().foldedTags().contains(folded)
          || mayBeId && job.id().value().contains(folded)
          || mayBeUuid && uuid(job.id()).contains(folded);
    }

    private static String uuid(JobId id) {
      return EntityId.of(id).uuid().toString();
    }

    @Override
    public String toString() {
      return folded;
    }
  }
}
