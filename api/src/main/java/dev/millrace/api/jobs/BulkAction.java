package dev.millrace.api.jobs;

import dev.millrace.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to do the same to many jobs.
 *
 * @param jobs exactly these, whatever a search finds by now
 * @param comment why, for the logs of the jobs
 */
public record BulkAction(Kind action, List<UUID> jobs, @Nullable String comment) {

  /** What is done to each job. */
  public enum Kind {
    PAUSE,
    RESUME,
    ABORT,
    RETRY,
    DELETE;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public BulkAction {
    jobs = List.copyOf(jobs);
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("action", action.word())
        .put("jobs", jobs.stream().map(UUID::toString).toList())
        .putIfPresent("comment", comment);
  }
}
