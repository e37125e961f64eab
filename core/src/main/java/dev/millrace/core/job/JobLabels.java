package dev.millrace.core.job;

import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The name, tags and JSON values that a submitter attaches to a job, for people and programs that
 * look at it. Millrace's own workers do not read them.
 *
 * @param tags words to select jobs by
 * @param metadata what the submitter keeps with the job; it can be replaced later
 * @param data what the submitter says about the job as a whole
 */
public record JobLabels(
    @Nullable String name, List<String> tags, JsonObject metadata, JsonObject data) {
  public JobLabels {
    tags = List.copyOf(tags);
  }

  /** The same with other metadata. */
  public JobLabels withMetadata(JsonObject replacement) {
    return new JobLabels(name, tags, replacement, data);
  }
}
