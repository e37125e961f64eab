package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is known of a job whatever its state: what was said when it was submitted, and since. */
public record JobHeader(
    JobId id,
    @Nullable String name,
    Priority priority,
    @Nullable JobId parent,
    @Nullable JobId retryOf,
    List<String> tags,
    JsonObject metadata,
    boolean open,
    JsonObject data,
    @Nullable TraceContext trace,
    List<Webhook> webhooks) {

  public static JobHeader of(JobId id, JobSpec spec) {
    return new JobHeader(
        id,
        spec.name(),
        spec.priority(),
        spec.parent(),
        spec.retryOf(),
        spec.tags(),
        spec.metadata(),
        spec.open(),
        spec.data(),
        spec.trace(),
        spec.webhooks());
  }

  /** The same with what users have changed since. */
  public JobHeader withChanges(@Nullable Priority newPriority, @Nullable JsonObject newMetadata) {
    return new JobHeader(
        id,
        name,
        newPriority == null ? priority : newPriority,
        parent,
        retryOf,
        tags,
        newMetadata == null ? metadata : newMetadata,
        open,
        data,
        trace,
        webhooks);
  }
}
