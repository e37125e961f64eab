package dev.millrace.api;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to create a job through the so1 API.
 *
 * @param action {@code generate}, {@code embed}, {@code pipeline}, a stage type that the server has
 *     a program for, or one that a remote worker asked for in the last 24 hours
 * @param inputs the inputs of the action; which ones exist depends on the action
 * @param hold whether the job starts as paused
 */
public record NewSo1Job(
    String action,
    JsonObject inputs,
    @Nullable String name,
    @Nullable Priority priority,
    List<String> tags,
    boolean hold,
    List<Webhook> webhooks) {

  public NewSo1Job {
    tags = List.copyOf(tags);
    webhooks = List.copyOf(webhooks);
    tags.forEach(JobSpec::requireTag);
  }

  public static NewSo1Job of(String action, JsonObject inputs) {
    return new NewSo1Job(action, inputs, null, null, List.of(), false, List.of());
  }

  /** An action without inputs. */
  public static NewSo1Job of(String action) {
    return of(action, JsonObject.create());
  }

  /** A prompt for {@code action}. */
  public static NewSo1Job prompt(String action, String text) {
    return of(action, JsonObject.create().put("prompt", text));
  }

  public NewSo1Job named(String value) {
    return new NewSo1Job(action, inputs, value, priority, tags, hold, webhooks);
  }

  public NewSo1Job priority(Priority value) {
    return new NewSo1Job(action, inputs, name, value, tags, hold, webhooks);
  }

  public NewSo1Job tags(String... values) {
    return new NewSo1Job(action, inputs, name, priority, List.of(values), hold, webhooks);
  }

  public NewSo1Job onHold() {
    return new NewSo1Job(action, inputs, name, priority, tags, true, webhooks);
  }

  public NewSo1Job webhooks(Webhook... values) {
    return new NewSo1Job(action, inputs, name, priority, tags, hold, List.of(values));
  }

  public JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("action", action)
            .put("inputs", inputs)
            .putIfPresent("name", name)
            .putIfPresent("priority", priority == null ? null : priority.name());
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
