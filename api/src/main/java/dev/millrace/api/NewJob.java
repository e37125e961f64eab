package dev.millrace.api;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to create a job; stages are added later.
 *
 * @param name 2 to 50 characters
 * @param hold whether the job starts as PAUSED
 */
public record NewJob(
    String name,
    JsonObject data,
    JsonObject userMetadata,
    Priority priority,
    @Nullable TraceContext trace,
    List<String> tags,
    boolean hold,
    List<Webhook> webhooks) {

  public NewJob {
    tags = List.copyOf(tags);
    webhooks = List.copyOf(webhooks);
    if (name.isBlank() || name.length() < 2 || name.length() > 50) {
      throw new IllegalArgumentException("name must have 2 to 50 characters, got \"" + name + "\"");
    }
    tags.forEach(JobSpec::requireTag);
  }

  public static NewJob of(String name) {
    return new NewJob(
        name,
        JsonObject.create(),
        JsonObject.create(),
        Priority.MEDIUM,
        null,
        List.of(),
        false,
        List.of());
  }

  public NewJob data(JsonObject value) {
    return new NewJob(name, value, userMetadata, priority, trace, tags, hold, webhooks);
  }

  public NewJob userMetadata(JsonObject value) {
    return new NewJob(name, data, value, priority, trace, tags, hold, webhooks);
  }

  public NewJob priority(Priority value) {
    return new NewJob(name, data, userMetadata, value, trace, tags, hold, webhooks);
  }

  public NewJob trace(@Nullable TraceContext value) {
    return new NewJob(name, data, userMetadata, priority, value, tags, hold, webhooks);
  }

  public NewJob tags(String... values) {
    return new NewJob(name, data, userMetadata, priority, trace, List.of(values), hold, webhooks);
  }

  public NewJob onHold() {
    return new NewJob(name, data, userMetadata, priority, trace, tags, true, webhooks);
  }

  public NewJob webhooks(Webhook... values) {
    return new NewJob(name, data, userMetadata, priority, trace, tags, hold, List.of(values));
  }

  public JsonObject toJson() {
    JsonObject out = JsonObject.create().put("name", name).put("data", data);
    JsonFields.putUnlessEmpty(out, "userMetadata", userMetadata);
    out.put("priority", priority.name());
    TraceFields.putIfPresent(out, trace);
    if (!tags.isEmpty()) {
      out.put("tags", tags);
    }
    if (hold) {
      out.put("hold", true);
    }
    JsonFields.putWebhooks(out, webhooks);
    return out;
  }
}
