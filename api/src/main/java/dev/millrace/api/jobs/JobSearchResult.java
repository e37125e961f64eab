package dev.millrace.api.jobs;

import dev.millrace.api.JsonFields;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import java.util.UUID;

/**
 * One part of what a search found.
 *
 * @param total how many jobs match
 * @param offset how many of them come before this part
 * @param complete whether all jobs were searched
 * @param indexed how many jobs were searched
 * @param known how many jobs there are
 */
public record JobSearchResult(
    int total, int offset, boolean complete, int indexed, long known, List<FoundJob> jobs) {

  /**
   * The ids of what a search found.
   *
   * @param total how many jobs match; there may be more than ids
   */
  public record Ids(int total, boolean complete, List<UUID> ids) {
    public static Ids fromJson(JsonObject in) {
      return new Ids(
          JsonFields.integer(in, "total"),
          in.flag("complete", false),
          JsonFields.strings(in, "ids").stream().map(UUID::fromString).toList());
    }

    public JsonObject toJson() {
      return JsonObject.create()
          .put("total", total)
          .put("complete", complete)
          .put("ids", ids.stream().map(UUID::toString).toList());
    }
  }

  public static JobSearchResult fromJson(JsonObject in) {
    return new JobSearchResult(
        JsonFields.integer(in, "total"),
        JsonFields.integer(in, "offset"),
        in.flag("complete", false),
        JsonFields.integer(in, "indexed"),
        in.integer("known"),
        JsonFields.list(in, "jobs", FoundJob::fromJson));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("total", total)
        .put("offset", offset)
        .put("complete", complete)
        .put("indexed", indexed)
        .put("known", known)
        .put("jobs", jobs.stream().map(FoundJob::toJson).toList());
  }
}
